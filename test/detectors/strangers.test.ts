import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { eventTopic } from '../../src/codecs/evm/abi.ts';
import type { Receipt } from '../../testing/anvilTransaction.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Contract, encodeDeployment } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';
import { deployProxy } from './support/deployProxy.ts';

/**
 * What a stranger causes who may deploy anything and pays nothing but gas. The reference shows what is measured here:
 * `WRITE_STRANGERS=1` records it anew, then `npm run docs`.
 */
const recordedAt = join(import.meta.dirname, '..', '..', 'testing', 'recorded', 'strangers.json');
const chain = useChain();
const ether = 10n ** 18n;
const unit = 10n ** 6n;

let owner: string;
let wallet: string;
let thief: string;
let batch: Contract;
let fake: Contract;
let gift: Contract;
let forger: Contract;
let real: Contract;
let vault: Contract;
let booked: Contract;
let pair: Contract;
let lender: Contract;
let hand: Contract;
let victim: Contract;
let router: Contract;
let lone: Contract;
let dollars: Contract;
let pieces: Contract;
let proxied: Contract;

beforeAll(async () => {
  const { anvil } = chain;
  [owner, wallet, thief] = anvil.accounts;
  batch = await anvil.deploy(artifacts.Batch);
  fake = await anvil.deploy(artifacts.LyingToken);
  forger = await anvil.deploy(artifacts.Forger);
  real = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1_000n * ether);
  vault = await anvil.deploy(artifacts.OpenVault);
  booked = await anvil.deploy(artifacts.BookedVault);
  pair = await anvil.deploy(artifacts.LyingPair, real.address, fake.address);
  lender = await anvil.deploy(artifacts.LyingLender);
  hand = await anvil.deploy(artifacts.Reenterer);
  victim = await anvil.deploy(artifacts.Victim);
  router = await anvil.deploy(artifacts.LooseRouter);
  pieces = await anvil.deploy(artifacts.TokenNft);
  lone = await anvil.deploy(artifacts.Token, 'Own', 'OWN', 6, 10n ** 15n);
  proxied = (await deployProxy(anvil)).vault;
  const copies = [
    [artifacts.Dollars, known.dollars],
    [artifacts.DollarFeed, known.feed],
  ] as const;
  for (const [artifact, to] of copies) {
    const { address } = await anvil.deploy(artifact);
    await anvil.rpc('anvil_setCode', to, await anvil.rpc('eth_getCode', address, 'latest'));
  }
  dollars = anvil.at(known.dollars, artifacts.Dollars.abi);
  const [, , , , own] = anvil.accounts;
  await dollars.send(owner, 'mint', own, 200_000n * unit);
  await dollars.send(own, 'approve', router.address, 200_000n * unit);
  await pieces.send(owner, 'mint', wallet, 1n);
  await real.send(owner, 'transfer', vault.address, 100n * ether);
  await anvil.send({ from: owner, to: vault.address, value: 5n * ether });
  await booked.send({ from: owner, value: 5n * ether }, 'deposit');
});

type Call = [contract: Contract, name: string, ...args: unknown[]];
const together = (...calls: Call[]) =>
  batch.send(
    thief,
    'run',
    calls.map(([{ address }]) => address),
    calls.map(([contract, name, ...args]) => contract.encode(name, ...args)),
  );
const forge = (signature: string, party: string) =>
  forger.send(thief, 'forgeFor', eventTopic(signature), `0x${party.slice(2).padStart(40, '0')}`);
const labelled = (address: string, ...tags: string[]) => [
  { address: address.toLowerCase(), tags, score: 100 },
];
const exploit = `0x${'e'.repeat(40)}`;

type Case = {
  detector: string;
  act: string;
  at: () => string;
  config?: object;
  labels?: () => ReturnType<typeof labelled>;
  chainUid?: 'ethereum';
  /** What the owner did before. */
  before?: () => Promise<unknown>;
  run: () => Promise<Receipt | Receipt[]>;
};

const ofVault = () => vault.address;
const claim = async () => {
  const first = await fake.send(thief, 'claim', vault.address, 50_000_000n * unit);
  return [first, await fake.send(thief, 'claimMove', vault.address, exploit, 48_000_000n * unit)];
};
const claimed = 'has a token of its own report that the contract paid 48 million of it';

/** The vault pays any token to anyone. */
const pass = async () => {
  const first = await fake.send(thief, 'claim', vault.address, 50_000_000n * unit);
  return [first, await vault.send(thief, 'pay', fake.address, exploit, 48_000_000n * unit)];
};
const passed = 'pays a token of its own into a contract that pays out any token, and has it paid out again';

const makeGift = async () => {
  const { anvil } = chain;
  const { contractAddress } = await anvil.send({
    from: anvil.accounts[3],
    data: encodeDeployment(artifacts.Token, ['Own', 'OWN', 6, 10n ** 15n]),
  });
  gift = anvil.at(contractAddress!, artifacts.Token.abi);
};

/** Three accounts of one stranger: the token's maker, the giver, and the one who takes it. */
const passBy = (giver: number) => async () => {
  const [, , , maker] = chain.anvil.accounts;
  const from = chain.anvil.accounts[giver]!;
  const first = giver === 3 ? [] : [await gift.send(maker, 'transfer', from, 50_000_000n * unit)];
  const given = await gift.send(from, 'transfer', vault.address, 50_000_000n * unit);
  return [...first, given, await vault.send(thief, 'pay', gift.address, exploit, 48_000_000n * unit)];
};
const passedByMaker = 'does so from two accounts, of which the first makes and gives the token';
const passedByThird =
  'does so from three accounts that had coins before: one makes the token, one gives it, one has it paid out';

/** USDC and its feed, where the main network has them. */
const known = {
  dollars: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  feed: '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6',
} as const;
const pull = async (token: Contract) => {
  const [, , , , own] = chain.anvil.accounts;
  return router.send(thief, 'run', token.address, token.encode('transferFrom', own, thief, 200_000n * unit));
};

const forged: readonly [detector: string, signature: string][] = [
  ['ownership_change', 'OwnershipTransferred(address,address)'],
  ['proxy_upgrade', 'Upgraded(address)'],
  ['contract_hash_verification', 'Upgraded(address)'],
  ['access_control_change', 'RoleGranted(bytes32,address,address)'],
  ['pause_state', 'Paused(address)'],
  ['safe_multisig', 'AddedOwner(address)'],
  ['governance', 'MinDelayChange(uint256,uint256)'],
];

const cases: readonly Case[] = [
  {
    detector: 'attack_detector',
    act: 'has a contract that is labelled EXPLOIT emit a log beside a call of the contract',
    at: ofVault,
    labels: () => labelled(fake.address, 'EXPLOIT'),
    run: () => together([fake, 'claimMove', exploit, exploit, 0n], [vault, 'touch']),
  },
  ...forged.map(
    ([detector, signature]): Case => ({
      detector,
      act: `has a contract of its own emit ${signature} that names the contract`,
      at: ofVault,
      run: () => forge(signature, vault.address),
    }),
  ),
  ...(['aml', 'sanctioned_interaction'] as const).map(
    (detector): Case => ({
      detector,
      act: 'has a token of its own report a payment by a labelled address to the contract',
      at: ofVault,
      labels: () => labelled(exploit, 'SANCTION'),
      run: async () => [
        await fake.send(thief, 'claim', exploit, unit),
        await fake.send(thief, 'claimMove', exploit, vault.address, unit),
      ],
    }),
  ),
  {
    detector: 'mixer_funding',
    act: 'calls the contract from an account without a past',
    at: ofVault,
    run: () => vault.send(thief, 'touch'),
  },
  {
    detector: 'address_poisoning',
    act: 'reports a payment of nothing to an address that looks like one that the wallet paid',
    at: () => wallet,
    before: () => chain.anvil.send({ from: wallet, to: `0xabcd${'1'.repeat(32)}ef01`, value: ether }),
    run: () => real.send(thief, 'transferFrom', wallet, `0xabcd${'2'.repeat(32)}ef01`, 0n),
  },
  { detector: 'large_transfer', act: claimed, at: ofVault, config: { threshold: '1000' }, run: claim },
  { detector: 'outflow_rate', act: claimed, at: ofVault, run: claim },
  { detector: 'tvl_drop', act: claimed, at: ofVault, run: claim },
  { detector: 'drain', act: claimed, at: ofVault, run: claim },
  ...['outflow_rate', 'tvl_drop', 'drain'].flatMap((detector): Case[] => [
    { detector, act: passed, at: ofVault, run: pass },
    { detector, act: passedByMaker, at: ofVault, before: makeGift, run: passBy(3) },
    { detector, act: passedByThird, at: ofVault, before: makeGift, run: passBy(6) },
  ]),
  {
    detector: 'allowance_drain',
    act: 'has it pull 200,000 of a token of its own from an account of its own',
    at: () => router.address,
    before: async () => {
      const [, , , , own] = chain.anvil.accounts;
      await lone.send(owner, 'transfer', own, 200_000n * unit);
      await lone.send(own, 'approve', router.address, 200_000n * unit);
    },
    run: () => pull(lone),
  },
  {
    detector: 'allowance_drain',
    act: 'has it pull 200,000 USDC of its own from an account of its own, which it keeps',
    at: () => router.address,
    chainUid: 'ethereum',
    run: () => pull(dollars),
  },
  {
    detector: 'initializer_call',
    act: 'tries to set the contract up again, which it refuses',
    at: () => proxied.address,
    run: () =>
      chain.anvil.send({ from: thief, to: proxied.address, data: proxied.encode('initialize', thief) }),
  },
  {
    detector: 'illegitimate_transfer',
    act: 'tries to take a piece of another owner, and has a collection of its own report that it did',
    at: () => pieces.address,
    run: async () => [
      await forge('Transfer(address,address,uint256)', pieces.address),
      await chain.anvil.send({
        from: thief,
        to: pieces.address,
        data: pieces.encode('transferFrom', wallet, thief, 1n),
      }),
    ],
  },
  {
    detector: 'wallet_balance',
    act: 'pays it a wei',
    at: ofVault,
    config: { condition: '<< 1', when: 'block' },
    run: () => chain.anvil.send({ from: thief, to: vault.address, value: 1n }),
  },
  ...[
    ['total_supply', { expectedTotalSupply: '1000', trackChanges: false, when: 'block' }],
    ['circulation_supply', {}],
  ].map(
    ([detector, config]): Case => ({
      detector: detector as string,
      act: 'has a token of its own report that it was minted, and tries to mint the real one',
      at: () => real.address,
      config: config as object,
      run: async () => [
        await fake.send(thief, 'claimMove', `0x${'0'.repeat(40)}`, thief, 0n),
        await chain.anvil.send({ from: thief, to: real.address, data: real.encode('mint', thief, ether) }),
      ],
    }),
  ),
  {
    detector: 'unlimited_approval',
    act: 'has a token of its own report that the wallet approved a spender that is labelled as a scam',
    at: () => wallet,
    labels: () => labelled(exploit, 'SCAM'),
    run: () =>
      forger
        .send(thief, 'forgeFor', eventTopic('Approval(address,address,uint256)'), wallet)
        .then(async (first) => {
          const copy = await chain.anvil.deploy(artifacts.FalseApproval);
          return [first, await copy.send(thief, 'report', wallet, exploit)];
        }),
  },
  {
    detector: 'unlimited_approval',
    act: 'approves a spender at the watched token without holding any of it',
    at: () => real.address,
    run: () => real.send(thief, 'approve', exploit, 2n ** 256n - 1n),
  },
  {
    detector: 'failed_tx_spike',
    act: 'sends ten transactions that fail',
    at: () => victim.address,
    run: async () => {
      const receipts: Receipt[] = [];
      for (let sent = 0; sent < 10; sent++)
        receipts.push(
          await chain.anvil.send({ from: thief, to: victim.address, data: victim.encode('fail', 'no') }),
        );
      return receipts;
    },
  },
  {
    detector: 'flash_loan',
    act: 'has a lender of its own report a loan that it never gave',
    at: ofVault,
    run: () => together([lender, 'report', batch.address, fake.address, 10n ** 15n], [vault, 'touch']),
  },
  {
    detector: 'flash_loan',
    act: 'takes a loan, pays it back and touches the contract in between',
    at: ofVault,
    before: () => fake.send(thief, 'claim', lender.address, 10n ** 15n),
    run: () =>
      together(
        [fake, 'claimMove', lender.address, batch.address, 10n ** 15n],
        [lender, 'report', batch.address, fake.address, 10n ** 15n],
        [vault, 'touch'],
        [fake, 'claimMove', batch.address, lender.address, 10n ** 15n],
      ),
  },
  {
    detector: 'reentrancy',
    act: 'deposits dust and has it paid out in two calls within each other',
    at: () => booked.address,
    run: async () => [
      await hand.send(thief, 'plan', booked.address, 0n, booked.encode('withdraw', 1n)),
      await hand.send(
        { from: thief, value: 2n },
        'run',
        [booked.address, booked.address],
        [2n, 0n],
        [booked.encode('deposit'), booked.encode('withdraw', 1n)],
      ),
    ],
  },
  {
    detector: 'price_manipulation',
    act: 'has a pool of its own report a price that goes away and comes back',
    at: ofVault,
    run: () =>
      together(
        [pair, 'report', 1000n * ether, 10n ** 25n],
        [vault, 'touch'],
        [pair, 'report', 1000n * ether, 1000n * ether],
      ),
  },
  {
    detector: 'suspicious_deployment',
    act: 'creates a contract that names the watched one, from a new account',
    at: ofVault,
    run: async () =>
      chain.anvil.send({
        from: chain.anvil.accounts[5],
        data: encodeDeployment(artifacts.Thief, [vault.address]),
      }),
  },
  {
    detector: 'custom_tx',
    act: 'calls the contract',
    at: ofVault,
    config: { expression: 'true' },
    run: () => vault.send(thief, 'touch'),
  },
];

type Measured = { act: string; gas: number; causes: string };

it('cause what the reference says, at that cost', async () => {
  const measured: Record<string, Measured[]> = {};
  for (const { detector, act, at, config = {}, labels, chainUid, before, run } of cases) {
    const world = { address: at(), ...(labels && { labels: labels() }), ...(chainUid && { chainUid }) };
    const observer = await chain.watch(detector, config, world);
    await before?.();
    await chain.anvil.mine();
    expect(await observer.catchUp(), `${detector}, before`).toEqual([]);
    const receipts = [await run()].flat();
    const found = await observer.catchUp();
    expect(observer.faults, detector).toEqual([]);
    const gas = receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
    const order = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
    const [worst = 'nothing'] = found
      .map(({ severity }) => severity)
      .sort((a, b) => order.indexOf(b) - order.indexOf(a));
    measured[detector] = [
      ...(measured[detector] ?? []),
      { act, gas: Math.ceil(gas / 10_000) * 10_000, causes: worst },
    ];
  }
  if (process.env.WRITE_STRANGERS === '1')
    await writeFile(recordedAt, `${JSON.stringify(measured, null, 2)}\n`);
  expect(measured).toEqual(JSON.parse(await readFile(recordedAt, 'utf8')));
});
