import { beforeAll, expect, it } from 'vitest';
import type { Transaction } from '../../testing/anvilTransaction.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Contract, encodeDeployment } from '../../testing/createContract.ts';
import { createRandom } from '../../testing/createRandom.ts';
import type { Observer } from '../../testing/observeDetector.ts';
import { sized } from '../../testing/proveSize.ts';
import { useChain } from '../../testing/useChain.ts';

/**
 * An adversary who may deploy anything, order anything within a block, pay in dust, forge events, reenter and make traces large,
 * but brings nothing of worth. ADVERSARIES=500 tries as many of each.
 */
const rounds = Number(process.env.ADVERSARIES ?? sized(6, 200));
const random = createRandom('any adversary');
const chain = useChain();
const ether = 10n ** 18n;
const unit = 10n ** 6n;
const dust = 1000n;

type Call = [contract: Contract, name: string, args?: readonly unknown[], value?: bigint];
type World = Awaited<ReturnType<typeof deployWorld>>;

const severities = {
  drain: 'CRITICAL',
  tvl_drop: 'CRITICAL',
  outflow_rate: 'HIGH',
  flash_loan: 'HIGH',
  reentrancy: 'CRITICAL',
  price_manipulation: 'CRITICAL',
} as const;

let owner: string;
let thief: string;
let hand: Contract;
let mill: Contract;
let fakeToken: Contract;
let fakePair: Contract;
let fakeLender: Contract;
/** A token that the adversary has made, and gives to the contract that pays out any token. */
let gift: Contract;
let bomb: Contract;
let weth: Contract;

beforeAll(async () => {
  const { anvil } = chain;
  [owner, , thief] = anvil.accounts;
  hand = await anvil.deploy(artifacts.Reenterer);
  mill = await anvil.deploy(artifacts.TokenMill);
  fakeToken = await anvil.deploy(artifacts.LyingToken);
  weth = await anvil.deploy(artifacts.WrappedCoin);
  fakePair = await anvil.deploy(artifacts.LyingPair, weth.address, fakeToken.address);
  const { contractAddress } = await anvil.send({
    from: thief,
    data: encodeDeployment(artifacts.LyingToken, []),
  });
  gift = anvil.at(contractAddress!, artifacts.LyingToken.abi);
  fakeLender = await anvil.deploy(artifacts.LyingLender);
  bomb = await anvil.deploy(artifacts.Bomb);
  await weth.send({ from: owner, value: 500n * ether }, 'deposit');
});

/** Three contracts that hold something of worth, and one detector of each kind. */
async function deployWorld() {
  const { anvil } = chain;
  const open = await anvil.deploy(artifacts.OpenVault);
  const booked = await anvil.deploy(artifacts.BookedVault);
  const token = await anvil.deploy(artifacts.LyingToken);
  const pool = await anvil.deploy(artifacts.LyingPair, weth.address, token.address);
  const lender = await anvil.deploy(artifacts.PricedLender, pool.address);
  const bank = await anvil.deploy(artifacts.LyingLender);
  await token.send(owner, 'claim', owner, 1_000_000n * unit);
  await token.send(owner, 'transfer', open.address, 1_000_000n * unit);
  await token.send(owner, 'claim', bank.address, 9_000_000n * unit);
  await weth.send(owner, 'transfer', open.address, 2n * ether);
  await booked.send({ from: owner, value: 50n * ether }, 'deposit');
  await anvil.send({ from: owner, to: lender.address, value: 10n * ether });
  const watch = (name: string, { address }: Contract) => chain.watch(name, {}, { address });
  const observers: Record<keyof typeof severities, Observer> = {
    drain: await watch('drain', open),
    tvl_drop: await watch('tvl_drop', open),
    outflow_rate: await watch('outflow_rate', open),
    flash_loan: await watch('flash_loan', open),
    reentrancy: await watch('reentrancy', booked),
    price_manipulation: await watch('price_manipulation', lender),
  };
  await anvil.mine();
  return { open, booked, token, pool, lender, bank, observers };
}

/** Something that costs gas and at most dust. */
function trick({ open, booked, lender, token }: World): Call[] {
  const victim = random.pick([open, booked, lender]).address;
  const amount = BigInt(random.integer(1, 1_000_000)) * unit;
  const tricks: (() => Call[])[] = [
    () => [[mill, 'claimMoves', [victim, thief, amount]]],
    () => [
      [fakeToken, 'claim', [victim, 2n * amount]],
      [fakeToken, 'claimMove', [victim, thief, amount]],
    ],
    () => [[fakeToken, 'claimMove', [victim, victim, 0n]]],
    () => [
      [fakePair, 'report', [1000n * ether, amount * ether]],
      [open, 'touch'],
      [fakePair, 'report', [1000n * ether, 1000n * ether]],
    ],
    () => [[fakeLender, 'report', [hand.address, random.pick([token, fakeToken]).address, amount]]],
    // A token of its own that it gives and has paid out again, with and without a word of the gift.
    () => [
      [gift, 'claim', [hand.address, 2n * amount]],
      [gift, 'claimMove', [hand.address, open.address, 2n * amount]],
      [open, 'pay', [gift.address, thief, amount]],
    ],
    () => [
      [gift, 'claim', [open.address, 2n * amount]],
      [open, 'pay', [gift.address, thief, amount]],
    ],
    // A loan of a token of its own, which comes and goes as one.
    () => [
      [fakeToken, 'claim', [fakeLender.address, amount]],
      [fakeToken, 'claimMove', [fakeLender.address, hand.address, amount]],
      [fakeLender, 'report', [hand.address, fakeToken.address, amount]],
      [open, 'touch'],
      [fakeToken, 'claimMove', [hand.address, fakeLender.address, amount]],
    ],
    () => [[bomb, 'burst', [BigInt(random.integer(1, 30)), BigInt(random.integer(1, 3000))]]],
    () => [[booked, 'deposit', [], dust]],
    () => [[open, 'touch']],
    () => [
      [weth, 'deposit', [], dust],
      [weth, 'transfer', [open.address, dust]],
    ],
    // It enters again what pays it, with what is its own.
    () => [
      [booked, 'deposit', [], 3n * dust],
      [hand, 'plan', [booked.address, 0n, booked.encode('withdraw', dust)]],
      [hand, 'plan', [booked.address, 0n, booked.encode('withdraw', dust)]],
      [hand, 'plan', [booked.address, dust, booked.encode('deposit')]],
      [booked, 'withdraw', [dust]],
    ],
    () => [
      [hand, 'plan', [booked.address, 0n, booked.encode('withdraw', ether)]],
      [booked, 'deposit', [], dust],
      [booked, 'withdraw', [dust]],
    ],
    // A loan of the vault that is paid back by a payment, which is then taken out again.
    () => [
      [hand, 'plan', [booked.address, dust, '0x']],
      [booked, 'lend', [dust]],
    ],
  ];
  return random.pick(tricks)();
}

/** Some tricks together, in one transaction; each may only fail as a whole. */
const tricks = (world: World): Call[] => Array.from({ length: random.below(4) }, () => trick(world)).flat();

function transaction(calls: readonly Call[]): Transaction {
  const values = calls.map(([, , , value = 0n]) => value);
  return {
    from: thief,
    to: hand.address,
    value: values.reduce((sum, value) => sum + value, 0n),
    data: hand.encode(
      'run',
      calls.map(([{ address }]) => address),
      values,
      calls.map(([contract, name, args = []]) => contract.encode(name, ...args)),
    ),
    gas: 12_000_000n,
  };
}

/** Everything in one block, in any order of the transactions around. */
async function mine(before: Call[][], main: Call[][], after: Call[][]) {
  const all = [...before, ...main, ...after].filter((calls) => calls.length > 0);
  const deploying = random.chance(0.3)
    ? [{ from: thief, data: encodeDeployment(artifacts.LyingToken, []) }]
    : [];
  const receipts = await chain.anvil.sendTogether([...(deploying as Transaction[]), ...all.map(transaction)]);
  await hand.send(thief, 'forget');
  return receipts.slice(deploying.length + before.filter((calls) => calls.length > 0).length)[0];
}

async function told({ observers }: World) {
  const found = await Promise.all(
    Object.entries(observers).map(async ([name, observer]) => {
      const findings = await observer.catchUp();
      expect(observer.faults).toEqual([]);
      return [name, findings] as const;
    }),
  );
  return Object.fromEntries(found);
}

it(`raises nothing above LOW without a loss, in ${rounds} tries`, { timeout: 3_600_000 }, async () => {
  const world = await deployWorld();
  for (let round = 0; round < rounds; round++) {
    const calls = () => Array.from({ length: random.integer(1, 3) }, () => tricks(world));
    await mine(calls(), [], []);
    const severe = Object.values(await told(world))
      .flat()
      .filter(({ severity }) => severity !== 'LOW' && severity !== 'INFO');
    expect(
      severe.map(
        ({ detectorSchemaName, severity, message }) => `${detectorSchemaName} ${severity} ${message}`,
      ),
      `SEED=${random.seed}, round ${round}`,
    ).toEqual([]);
  }
});

it(`loses no alert and no severity of a robbery, in ${rounds} tries`, { timeout: 3_600_000 }, async () => {
  for (let round = 0; round < rounds; round++) {
    const world = await deployWorld();
    const { open, booked, token, pool, lender, bank } = world;
    const loan = BigInt(random.integer(1, 9_000_000)) * unit;
    const stake = BigInt(random.integer(5, 20)) * ether;
    const share = BigInt(random.integer(55, 100));
    const bend = (second: bigint): Call => [pool, 'report', [1000n * ether, second]];
    const parts: Call[][] = [
      [
        bend(BigInt(random.integer(1_500, 90_000)) * ether),
        ...tricks(world),
        [lender, 'borrow', [thief, dust]],
        bend(1000n * ether),
      ],
      [
        [open, 'pay', [token.address, thief, 10_000n * unit * share]],
        // Dust of worth that comes in makes no trade of it.
        [weth, 'deposit', [], dust],
        [weth, 'transfer', [open.address, dust]],
      ],
      random.chance(0.5)
        ? [
            [booked, 'deposit', [], stake],
            [hand, 'plan', [booked.address, 0n, booked.encode('withdrawAll')]],
            [booked, 'withdrawAll'],
          ]
        : [
            [hand, 'plan', [booked.address, stake, '0x']],
            [booked, 'lend', [stake]],
            [booked, 'withdraw', [stake]],
          ],
    ];
    const order = random.chance(0.5) ? parts : parts.toReversed();
    const robbery: Call[] = [
      [token, 'claimMove', [bank.address, hand.address, loan]],
      [bank, 'report', [hand.address, token.address, loan]],
      ...(random.chance(0.5) ? await junk(world) : []),
      ...order.flatMap((part) => [...harmless(world), ...part]),
      [token, 'claimMove', [hand.address, bank.address, loan]],
    ];
    const around = () => Array.from({ length: random.below(3) }, () => tricks(world));
    const receipt = await mine(around(), [robbery], around());
    expect(receipt?.status, `SEED=${random.seed}, round ${round}`).toBe('success');
    const found = await told(world);
    const worst = Object.fromEntries(
      Object.entries(found).map(([name, findings]) => {
        const order = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
        const [most] = findings
          .map(({ severity }) => severity)
          .sort((a, b) => order.indexOf(b) - order.indexOf(a));
        return [name, most];
      }),
    );
    expect(worst, `SEED=${random.seed}, round ${round}`).toEqual(severities);
  }
});

/** Any number of worthless tokens that the contract, which pays whatever it is told, is made to pay. */
async function junk({ open }: World): Promise<Call[]> {
  const count = random.integer(1, 40);
  const made = await chain.anvil.deploy(artifacts.TokenMill);
  await chain.anvil.send({
    from: thief,
    to: made.address,
    data: made.encode('make', BigInt(count), open.address, ether),
    gas: 29_000_000n,
  });
  const tokens = await Promise.all(Array.from({ length: count }, (_, at) => made.call('tokens', BigInt(at))));
  return tokens.map((token): Call => [open, 'pay', [token, thief, 1n]]);
}

/** Tricks that leave no plan behind, which the robbery would run instead of its own. */
function harmless(world: World): Call[] {
  const calls = tricks(world);
  return calls.some(([, name]) => name === 'plan') ? [] : calls;
}
