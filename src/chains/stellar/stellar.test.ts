import {
  Asset,
  FeeBumpTransaction,
  Networks,
  type Transaction,
  TransactionBuilder,
  xdr as XDR,
} from '@stellar/stellar-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStellarLedger } from '../../../testing/recorded/readStellarLedger.ts';
import {
  callOf,
  payment,
  type StandInStellar,
  setOptions,
  startStandIn,
  startStellar,
  stellarNode,
} from '../../../testing/stellar/startStellar.ts';
import {
  type StellarRpc,
  startStellarRpc,
  stellarPassphrase,
} from '../../../testing/stellar/startStellarRpc.ts';
import { createStellarKey, stellarKey } from '../../../testing/stellar/stellarKey.ts';
import { vaultSpec } from '../../../testing/stellar/vaultSpec.ts';
import { vaultWasm } from '../../../testing/stellar/vaultWasm.ts';
import { sorobanView } from '../../codecs/stellar/sorobanView.ts';
import { contractAddress, withoutMuxing } from '../../codecs/stellar/strkey.ts';
import type { Block } from '../../model/block.ts';
import type { ConnectedClient } from '../chainClient.ts';
import { chains, withNetwork } from '../chains.ts';
import { createStellarClient } from './createStellarClient.ts';
import { decodeBlock } from './decodeBlock.ts';
import type { StellarTransaction } from './decodeTransaction.ts';
import { createNetwork, parseAsset } from './network.ts';
import { readSpec } from './readSpec.ts';

const network = createNetwork(Networks.PUBLIC);
const recorded = readStellarLedger();
const raw = {
  hash: '55712ab365546d3ddc7b519023dbec1308a7a97b43c76ee9e04fcff72b2f7ccd',
  metadataXdr: recorded.toString('base64'),
};

describe('the recorded ledger of the main network', async () => {
  const block = await decodeBlock('stellar', raw, 7, network);
  const transactions = block.transactions as readonly StellarTransaction[];
  /** The same, as the library of the Stellar project reads it. */
  const theirs = XDR.LedgerCloseMeta.fromXDR(recorded).v1();
  const signed = envelopesOf(theirs);

  it('has the header, the transactions in their order, their fees and their outcomes', () => {
    expect(block).toMatchObject({
      number: 58_752_000,
      hash: theirs.ledgerHeader().hash().toString('hex'),
      parentHash: theirs.ledgerHeader().header().previousLedgerHash().toString('hex'),
      timestamp: 1_756_858_228_000,
      limit: 1000n,
      upgraded: [],
    });
    const outcomes = theirs.txProcessing().map((each) => {
      const pair = each.result();
      return {
        hash: pair.transactionHash().toString('hex'),
        fee: pair.result().feeCharged().toBigInt(),
        isSuccess: pair.result().result().switch().name.endsWith('Success'),
      };
    });
    expect(transactions.map(({ hash, fee, isSuccess }) => ({ hash, fee, isSuccess }))).toEqual(outcomes);
    expect(block.receiptOf?.(transactions.find((each) => !each.isSuccess)!.hash)?.failure).toMatch(
      /^tx_failed: operation \d path_payment_strict_send underfunded$/,
    );
  });

  it('moves what its payments say', () => {
    let payments = 0;
    for (const { isSuccess, from, transfers, hash } of transactions) {
      if (!isSuccess) continue;
      for (const operation of signed.get(hash)!.operations) {
        if (operation.type !== 'payment') continue;
        payments++;
        const { asset } = operation;
        const issuer = asset.isNative() ? '' : asset.getIssuer();
        const [sender, destination] = [operation.source ?? from, operation.destination].map(withoutMuxing);
        const amount = BigInt(operation.amount.replace('.', ''));
        if (sender === destination) continue;
        expect(transfers).toContainEqual({
          asset: asset.isNative() ? 'native' : asset.contractId(Networks.PUBLIC),
          from: sender === issuer ? null : sender,
          to: destination === issuer ? null : destination,
          amount,
        });
      }
    }
    expect(payments).toBeGreaterThan(100);
    expectBalanced(block);
  });

  it('shows operations and what would have been paid, also of transactions that failed', () => {
    let failed = 0;
    for (const transaction of transactions) {
      const { isSuccess, value, from, hash } = transaction;
      const { operations } = transaction.ownMembers() as { operations: Record<string, unknown>[] };
      const theirOperations = signed.get(hash)!.operations;
      expect(operations).toHaveLength(theirOperations.length);
      let coins = 0n;
      for (const [place, operation] of theirOperations.entries()) {
        const shown = operations[place]!;
        expect(shown.source).toBe(withoutMuxing(operation.source ?? from));
        if (operation.type === 'createAccount') coins += BigInt(operation.startingBalance.replace('.', ''));
        if (operation.type !== 'payment') continue;
        const amount = BigInt(operation.amount.replace('.', ''));
        const isNative = operation.asset.isNative();
        if (isNative) coins += amount;
        const asset = isNative ? 'native' : operation.asset.contractId(Networks.PUBLIC);
        const to = withoutMuxing(operation.destination);
        expect(shown).toMatchObject({ type: 'payment', to, amount, asset });
      }
      if (isSuccess) continue;
      failed++;
      expect(value).toBe(coins);
    }
    expect(failed).toBeGreaterThan(10);
  });

  it('tells calls with those within them, events, and who takes part', () => {
    const harvest = transactions.find(({ calls }) => calls.some(({ depth }) => depth === 2))!;
    const farm = 'CDL74RF5BLYR2YBLCCI7F5FB6TPSCLKEJUBSD2RSVWZ4YHF3VMFAIGWA';
    const kale = new Asset('KALE', 'GBDVX4VELCDSQ54KQJYTNHXAHFLBCA77ZY2USQBM4CSHTTV7DME7KALE');
    const token = kale.contractId(Networks.PUBLIC);
    const inner = harvest.calls.slice(1, 3);
    expect(inner).toMatchObject([
      { contract: farm, key: 'harvest', depth: 1, position: 1 },
      { contract: token, key: 'mint', depth: 2, position: 2, caller: farm },
    ]);
    const [log] = harvest.logs;
    expect(log).toMatchObject({ address: token, key: 'mint', data: '{"i128":"13804333"}', index: 0 });
    expect(harvest.transfers[0]).toEqual({
      asset: token,
      from: null,
      to: log?.parties[1],
      amount: 13_804_333n,
    });
    expect([...harvest.parties.others!]).toEqual(expect.arrayContaining([farm, token, log!.parties[1]]));
    expect(network.assetOf(parseAsset(`KALE:${kale.getIssuer()}`))).toBe(token);
    expect(network.nativeContract).toBe(Asset.native().contractId(Networks.PUBLIC));
    expect(transactions.flatMap(({ logs }) => logs)).toHaveLength(18);
  });
});

describe('the client', () => {
  let network: StandInStellar;
  let stellar: StellarRpc;
  let client: ConnectedClient;
  const [issuer, alice, bob, vaultOwner] = [11, 12, 13, 14].map(stellarKey) as [
    ReturnType<typeof stellarKey>,
    ReturnType<typeof stellarKey>,
    ReturnType<typeof stellarKey>,
    ReturnType<typeof stellarKey>,
  ];
  const gold = parseAsset(`GOLD:${issuer.address}`);
  const vault = contractAddress('ab'.repeat(32));

  beforeAll(async () => {
    network = await startStandIn();
    stellar = network.standIn;
    client = connect(stellar.url);
    for (const { address } of [issuer, alice, bob, vaultOwner]) stellar.fund(address, 1_000_000_000n);
    stellar.state.putInstance(vault, {
      executable: { wasm: '01'.repeat(32) },
      storage: [{ key: { symbol: 'Owner' }, val: { address: vaultOwner.address } }],
    });
  });
  afterAll(async () => {
    await client.close();
    await stellar.stop();
  });

  let silentMs = 0;
  const connect = (...urls: string[]) =>
    createStellarClient({
      chain: withNetwork(chains.stellar, stellarPassphrase),
      urls,
      now: () => Date.now() + silentMs,
      onCall: () => {},
    });
  const newest = async (): Promise<Block> => (await client.block(stellar.latest()))!;
  const changesOf = ({ transactions: [only] }: Block) =>
    (only?.changes ?? []).map(({ subject, what, part, before, after }) => [
      subject,
      what,
      part,
      before,
      after,
    ]);

  it('has the same transfers with events of all that moves and without, and balances before and after', async () => {
    const other = await startStandIn({ isUnified: true });
    const second = connect(other.url);
    const found: unknown[] = [];
    for (const [node, reader] of [
      [network, client],
      [other, second],
    ] as const) {
      for (const { address } of [issuer, alice, bob]) node.standIn.fund(address, 1_000_000_000n);
      await node.submit([{ change_trust: { line: gold, limit: '1000000000000' } }], alice);
      await node.submit([{ change_trust: { line: gold, limit: '1000000000000' } }], bob);
      const hash = await node.submit(
        [payment(alice.address, gold, 700n), payment(alice.address, 'native', 5n)],
        issuer,
      );
      await node.submit([payment(bob.address, gold, 300n), payment(issuer.address, gold, 100n)], alice);
      const [minted, paid] = [
        await reader.block(node.standIn.latest() - 1),
        await reader.block(node.standIn.latest()),
      ];
      expect(minted?.transactions[0]?.hash).toBe(hash);
      const asset = node.network.assetOf(gold);
      expect(paid?.holdingOf?.(asset, alice.address, 'parent')).toBe(700n);
      expect(paid?.holdingOf?.(asset, alice.address, 'block')).toBe(300n);
      found.push([minted, paid].map((block) => block?.transactions[0]?.transfers));
      expect(found[0]).toEqual([
        [
          { asset, from: null, to: alice.address, amount: 700n },
          { asset: 'native', from: issuer.address, to: alice.address, amount: 5n },
        ],
        [
          { asset, from: alice.address, to: bob.address, amount: 300n },
          { asset, from: alice.address, to: null, amount: 100n },
        ],
      ]);
    }
    expect(found[1]).toEqual(found[0]);
    await second.close();
    await other.stop();
  });

  it('finds changes of control', async () => {
    await network.submit(
      [
        setOptions({
          set_flags: 2,
          master_weight: 10,
          med_threshold: 5,
          home_domain: 'gold.example',
          signer: { key: bob.address, weight: 5 },
        }),
      ],
      issuer,
    );
    expect(changesOf(await newest())).toEqual([
      [issuer.address, 'signers', 'signers', 'none', `${bob.address} (weight 5)`],
      [
        issuer.address,
        'permission',
        'thresholds',
        'key 1, low 0, medium 0, high 0',
        'key 10, low 0, medium 5, high 0',
      ],
      [issuer.address, 'flags', 'issuer flags', 'none', 'authorization revocable'],
      [issuer.address, 'flags', 'home domain', 'none', 'gold.example'],
    ]);
    await network.submit(
      [{ set_trust_line_flags: { trustor: bob.address, asset: gold, clear_flags: 1, set_flags: 0 } }],
      issuer,
    );
    const asset = stellar.network.assetOf(gold);
    expect(changesOf(await newest())).toEqual([
      [bob.address, 'frozen', `GOLD:${issuer.address}`, 'false', 'true'],
      [asset, 'frozen', bob.address, 'false', 'true'],
      [issuer.address, 'frozen', bob.address, 'false', 'true'],
    ]);
    stellar.state.putCode('02'.repeat(32), '00');
    await network.submit([callOf(vault, 'upgrade', { bytes: '02'.repeat(32) })], vaultOwner);
    const upgraded = await newest();
    expect(changesOf(upgraded)).toEqual([[vault, 'code', undefined, '01'.repeat(32), '02'.repeat(32)]]);
    expect(upgraded.upgraded).toEqual([vault]);
    await network.submit([callOf(vault, 'set_owner', { address: bob.address })], vaultOwner);
    expect(changesOf(await newest())).toEqual([[vault, 'owner', undefined, vaultOwner.address, bob.address]]);
  });

  it('reads the newest state', async () => {
    const asset = stellar.network.assetOf(gold);
    const at = { number: stellar.latest(), hash: '' };
    expect(
      await client.readState(at, [
        { type: 'holding', asset, holder: alice.address },
        { type: 'balance', address: alice.address },
        { type: 'balance', address: stellarKey(99).address },
        { type: 'decimals', asset },
        { type: 'symbol', asset },
        { type: 'symbol', asset: vault },
        { type: 'decimals', asset: vault },
        { type: 'supply', asset: vault },
        { type: 'holding', asset: vault, holder: alice.address },
        { type: 'supply', asset },
        { type: 'code', address: alice.address },
      ]),
    ).toEqual([
      { value: 300n },
      { value: expect.any(BigInt) },
      { value: 0n },
      { value: 7 },
      { value: 'GOLD' },
      { value: 'VLT' },
      { value: 6 },
      { value: 123_000_000n },
      { value: 5_000_000n },
      { missing: expect.stringContaining('do not count'), isGone: true },
      { value: '0x' },
    ]);
  });

  it('reads functions of contracts, and the spec that a contract carries in its code', async () => {
    const { code, hash } = vaultWasm(vaultSpec);
    const contract = contractAddress('ef'.repeat(32));
    stellar.state.putCode(hash, code);
    stellar.state.putInstance(contract, { executable: { wasm: hash }, storage: [] });
    const spec = await client.findInterface!(contract);
    expect(spec).toEqual(vaultSpec);
    const views = ['mode', 'quota', 'gone'].map((name) =>
      name === 'gone' ? { name, encode: () => JSON.stringify({ name, args: [] }) } : sorobanView(name, spec!),
    );
    const at = { number: stellar.latest(), hash: '' };
    const answers = await client.readState(at, [
      ...views.map(({ name, encode }) => ({
        type: 'call' as const,
        to: contract,
        data: encode(name === 'quota' ? [alice.address] : []),
      })),
      { type: 'call', to: alice.address, data: '{}' },
      // What cannot be passed to a contract fails alone.
      { type: 'call', to: contract, data: JSON.stringify({ name: 'quota', args: [{ address: 'x' }] }) },
      { type: 'storage', address: contract, key: 'module_hash' },
      { type: 'code', address: contract },
    ]);
    expect(answers).toEqual([
      { value: { data: expect.any(String) } },
      { value: { data: '{"i128":"0"}' } },
      { value: { failure: expect.stringContaining('MissingValue') } },
      { value: { failure: `${alice.address} is no contract` } },
      { value: { failure: expect.stringContaining('no valid OperationBody') } },
      { value: `0x${hash}` },
      { value: `0x${code}` },
    ]);
    const [mode] = answers as [{ value: { data: string } }];
    expect(sorobanView('mode', spec!).decode(mode.value.data)).toEqual([{ kind: 'Open', until: null }]);

    const asset = contractAddress('ee'.repeat(32));
    stellar.state.putInstance(asset, { executable: 'stellar_asset', storage: [] });
    expect(sorobanView('balance', (await client.findInterface!(asset))!).outputs).toMatchObject([
      { type: 'int128' },
    ]);
    expect(await client.findInterface!(vault)).toBeUndefined();
    expect(await client.findInterface!(alice.address)).toBeUndefined();
  });

  it('takes no spec from code that is none, or that is cut short', () => {
    const { code } = vaultWasm(vaultSpec);
    const bytes = Buffer.from(code, 'hex');
    expect(readSpec(bytes)).toEqual(vaultSpec);
    // The other library makes the same bytes of an entry.
    const theirs = XDR.ScSpecEntry.scSpecEntryFunctionV0(
      new XDR.ScSpecFunctionV0({
        doc: '',
        name: 'is_paused',
        inputs: [],
        outputs: [XDR.ScSpecTypeDef.scSpecTypeBool()],
      }),
    ).toXDR();
    expect(bytes.includes(theirs)).toBe(true);
    for (const cut of [0, 3, 8, 14, 20, bytes.length - 1])
      expect(readSpec(bytes.subarray(0, cut))).toBeUndefined();
    expect(readSpec(Buffer.from('7f454c46', 'hex'))).toBeUndefined();
  });

  it('asks once for each ledger, knows none that is not closed, and says which are gone', async () => {
    const fresh = connect(stellar.url);
    const number = stellar.latest();
    const block = await fresh.block(number);
    stellar.calls.length = 0;
    expect(await fresh.header(number)).toMatchObject({ hash: block!.hash });
    expect(await fresh.block(number + 1)).toBeNull();
    stellar.close();
    expect(await fresh.block(number + 1)).toMatchObject({ parentHash: block!.hash });
    expect(await fresh.header('finalized')).toMatchObject({ number: number + 1 });
    expect(stellar.calls).toEqual(['getLedgers', 'getLedgers', 'getLatestLedger']);
    stellar.forgetBefore(number);
    await expect(fresh.block(number - 1)).rejects.toMatchObject({ name: 'BlocksGone', oldest: number });
    // An endpoint that does not answer may have them.
    const other = await startStellarRpc();
    other.faults.dead = true;
    const both = connect(other.url, stellar.url);
    await expect(both.block(number - 1)).rejects.toMatchObject({ name: 'EndpointsFailed' });
    silentMs = 600_001;
    await expect(both.block(number - 1)).rejects.toMatchObject({ name: 'BlocksGone' });
    silentMs = 0;
    await both.close();
    await other.stop();
    await fresh.close();
  });

  it('makes transactions that expire, whatever time a node claims', async () => {
    const other = await startStellarRpc();
    for (const { address } of [alice, bob]) other.fund(address, 1_000_000_000n);
    other.skipTime(10 ** 9);
    other.close();
    const { transactor, close } = connect(other.url);
    const data = JSON.stringify(payment(bob.address, 'native', 1n));
    const terms = { price: 'market', limit: null, tip: null, maxPrice: null } as const;
    const { offers } = await transactor!.prepare(alice.address, [{ to: alice.address, data, terms }], []);
    const [{ place }] = offers as unknown as [{ place: { anchor: string } }];
    expect(Number(JSON.parse(place.anchor).maxTime)).toBeLessThan(Date.now() / 1000 + 10_000);
    await close();
    await other.stop();
  });

  it('uses another endpoint for one that is dead or serves another network', async () => {
    const other = await startStellarRpc();
    other.faults.lying = true;
    const both = connect(other.url, stellar.url);
    expect(await both.block(stellar.latest())).toMatchObject({ number: stellar.latest() });
    expect(both.health()[0]).toMatchObject({
      state: 'wrong-chain',
      lastFault: expect.stringContaining('Test SDF Network'),
    });
    other.faults.dead = true;
    expect(await both.block(stellar.latest())).toMatchObject({ number: stellar.latest() });
    await both.close();
    await other.stop();
  });
});

describe(`a node (${stellarNode})`, () => {
  it('gives ledgers that follow each other, whose transfers fit their balances, and the newest state', async () => {
    const node = await startStellar();
    const [payer, paid] = [createStellarKey(), createStellarKey()];
    await node.fund(payer, paid);
    const sent = await node.submit([payment(paid.address, 'native', 70_000_000n)], payer);
    const chain = withNetwork(chains.stellar, node.passphrase);
    const client = createStellarClient({ chain, urls: [node.url], now: Date.now, onCall: () => {} });
    const number = (await client.blockOfTransaction(sent))!;
    const [before, block] = [await client.block(number - 1), await client.block(number)];
    expect(block?.parentHash).toBe(before!.hash);
    expect((await client.header('latest'))!.number).toBeGreaterThanOrEqual(number);
    expectBalanced(block!);
    expectBalanced(before!);
    const own = block!.transactions.find(({ hash }) => hash === sent);
    expect(own?.transfers).toEqual([
      { asset: 'native', from: payer.address, to: paid.address, amount: 70_000_000n },
    ]);
    const [answer] = await client.readState(block!, [{ type: 'balance', address: paid.address }]);
    expect(answer).toEqual({ value: await node.balanceOf(paid) });
    await client.close();
    await node.stop();
  });
});

/** What no transfer says of a balance is fees alone. */
function expectBalanced(block: Block): void {
  const held = new Map<string, bigint>();
  for (const { transfers } of block.transactions)
    for (const { asset, from, to, amount } of transfers) {
      if (asset !== 'native') continue;
      if (from?.startsWith('G')) held.set(from, (held.get(from) ?? 0n) - amount);
      if (to?.startsWith('G')) held.set(to, (held.get(to) ?? 0n) + amount);
    }
  for (const [holder, change] of held) {
    const [before, after] = [
      block.holdingOf?.('native', holder, 'parent'),
      block.holdingOf?.('native', holder, 'block'),
    ];
    expect(after! - before! - change).toBeLessThanOrEqual(0n);
    expect(after! - before! - change).toBeGreaterThan(-1_000_000_000n);
  }
}

/** What was signed, by hash, as the other library reads and hashes it. */
function envelopesOf(theirs: XDR.LedgerCloseMetaV1): ReadonlyMap<string, Transaction> {
  const envelopes = theirs
    .txSet()
    .v1TxSet()
    .phases()
    .flatMap((phase) => phase.v0Components())
    .flatMap((component) => component.txsMaybeDiscountedFee().txes());
  return new Map(
    envelopes.map((envelope) => {
      const read = TransactionBuilder.fromXDR(envelope, Networks.PUBLIC);
      return [read.hash().toString('hex'), read instanceof FeeBumpTransaction ? read.innerTransaction : read];
    }),
  );
}
