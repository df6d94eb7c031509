import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Block } from '../../src/model/block.ts';
import type { Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { upsertLabels } from '../../src/store/labels/upsertLabels.ts';
import { findFunding } from '../../src/store/watch/funding.ts';
import { createFundingTracker, type FundingTracker } from '../../src/watch/reads/createFundingTracker.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch } from '../../testing/startTestWatch.ts';
import { startTraceProxy } from '../../testing/startTraceProxy.ts';
import { until } from '../../testing/until.ts';

let anvil: Anvil;
let mixer: Contract;
let store: Store;
let client: ReturnType<typeof createEvmClient>;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  anvil = await startAnvil();
  client = createEvmClient({ chain: chains.anvil, urls: [anvil.url], now: Date.now, onCall: () => {} });
  mixer = await anvil.deploy(artifacts.Mixer);
  await mixer.send({ from: anvil.accounts[0], value: 10n ** 19n }, 'deposit');
});
afterAll(async () => {
  await client.close();
  await anvil.stop();
  await store.close();
  await database.drop();
});

const coin = 10n ** 18n;

async function label(address: string, tags: string[]): Promise<void> {
  const given = { chainUid: 'anvil', address, name: null, tags, score: 100, source: null, note: null };
  await upsertLabels(store, null, [given], new Set(['tags']), 1);
}

/** Shows the tracker what has happened since this block and writes what that brings. */
async function follow(tracker: FundingTracker, from: number): Promise<Block[]> {
  const blocks: Block[] = [];
  for (let block = await client.block(from); block; block = await client.block(from + blocks.length))
    blocks.push(block);
  await tracker.refresh(store);
  const rows = blocks.flatMap((block) => tracker.trace(block));
  await store.transaction((tx) => tracker.write(tx, rows, blocks.at(-1)!.timestamp));
  return blocks;
}

const nextBlock = async () => Number(await anvil.blockNumber()) + 1;

async function hopsOf(...addresses: string[]): Promise<(number | undefined)[]> {
  const found = await findFunding(store, 'anvil', addresses);
  return addresses.map((address) => found.get(address)?.hops);
}

describe('following money', () => {
  it('stores who is paid out of a mixer and whom those pay, undoes it, and forgets it in time', async () => {
    const [payer, first, second, third, , stranger] = anvil.accounts;
    const tracker = createFundingTracker('anvil');
    const start = await nextBlock();
    await mixer.send(payer, 'withdraw', first, coin);
    expect(await hopsOf(first)).toEqual([undefined]);
    await follow(tracker, start);
    expect(await hopsOf(first)).toEqual([undefined]);

    await label(mixer.address, ['MIXER', 'SANCTIONED']);
    tracker.onNotify('labels');
    await follow(tracker, start);
    expect(await hopsOf(first)).toEqual([1]);
    const later = await nextBlock();
    await anvil.send({ from: first, to: second, value: 1n });
    await anvil.send({ from: second, to: third, value: 1n });
    await anvil.send({ from: payer, to: stranger, value: 1n });
    const blocks = await follow(tracker, later);
    expect(await hopsOf(first, second, third, stranger)).toEqual([1, 2, 3, undefined]);
    expect((await findFunding(store, 'anvil', [third])).get(third)).toMatchObject({
      source: mixer.address,
      tags: ['MIXER', 'SANCTIONED'],
      transactionHash: blocks[1]!.transactions[0]!.hash,
      blockNumber: later + 1,
      timestamp: blocks[1]!.timestamp,
    });

    await store.transaction((tx) => tracker.rewind(tx, later));
    expect(await hopsOf(first, second, third)).toEqual([1, 2, undefined]);
    // Another tracker, as after a restart, goes on from what is stored.
    const fresh = createFundingTracker('anvil');
    await follow(fresh, later + 1);
    expect(await hopsOf(third)).toEqual([3]);

    const month = 30 * 24 * 3_600_000;
    await store.transaction((tx) => fresh.write(tx, [], blocks.at(-1)!.timestamp + month + 1));
    expect(await hopsOf(first, second, third)).toEqual([undefined, undefined, undefined]);
  });

  it('answers about what is traced and not yet written', async () => {
    const [payer, , , , fourth] = anvil.accounts;
    const tracker = createFundingTracker('anvil');
    await tracker.refresh(store);
    const number = await nextBlock();
    await mixer.send(payer, 'withdraw', fourth, coin);
    tracker.trace((await client.block(number))!);
    const asked = [
      { type: 'funding', address: fourth },
      { type: 'funding', address: payer },
      { type: 'labels', address: fourth },
    ] as const;
    const answers = await tracker.withUnwritten(async (requests) => requests.map(() => null))(asked);
    expect(answers).toMatchObject([{ source: mixer.address, hops: 1 }, null, null]);
    expect(await hopsOf(fourth)).toEqual([undefined]);
  });

  it('forgets what came from an address whose label was taken away', async () => {
    const [payer, first] = anvil.accounts;
    const tracker = createFundingTracker('anvil');
    const start = await nextBlock();
    await mixer.send(payer, 'withdraw', first, coin);
    await follow(tracker, start);
    expect(await hopsOf(first)).toEqual([1]);
    await label(mixer.address, ['EXCHANGE']);
    tracker.onNotify('labels');
    await tracker.refresh(store);
    expect(await hopsOf(first)).toEqual([undefined]);
  });

  it.each([
    ['SANCTION', 1],
    ['EXPLOIT', 1],
    ['SCAM', 1],
    ['BRIDGE', 1],
    ['EXCHANGE', undefined],
  ])('from a source tagged %s brings hops: %s', async (tag, hops) => {
    const [, , , , , , source] = anvil.accounts;
    const target = `0x${Buffer.from(tag.padEnd(20)).toString('hex')}`;
    await label(source!, [tag]);
    const start = await nextBlock();
    await anvil.send({ from: source!, to: target, value: 1n });
    await follow(createFundingTracker('anvil'), start);
    expect(await hopsOf(target)).toEqual([hops]);
  });
});

describe('money that a mixer pays without an event', () => {
  it.each([
    ['where a detector reads traces', true],
    ['where no detector reads traces, by those of the transactions that call the mixer', false],
  ])('is followed %s', async (_, innerCalls) => {
    const node = await startTraceProxy(anvil.url);
    const vigil = await startTestWatch({ anvil: { urls: [node.url] } });
    try {
      const [owner, payer, , , recipient, , , other] = anvil.accounts;
      const silent = await anvil.deploy(artifacts.SilentVault);
      const target = await anvil.deploy(artifacts.VaultV1);
      await silent.send({ from: owner, value: coin }, 'deposit');
      const members = { chainUid: 'anvil', address: silent.address, name: 'Silent', tags: ['MIXER'] };
      await vigil.ok('POST', 'label', members);
      const contractId = await vigil.addContract(target.address, { name: 'Target', abi: target.abi });
      const { data } = await vigil.ok('POST', 'detector/search', { where: `contractId = ${contractId}` });
      for (const { id } of data) await vigil.ok('DELETE', `detector/${id}`);
      await vigil.addDetector(contractId, 'mixer_funding', { innerCalls });
      vigil.watch();
      await anvil.mine();
      await vigil.reached('anvil', Number(await anvil.blockNumber()));

      const before = node.traced;
      await anvil.rpc('evm_setAutomine', false);
      // More than are looked at in a block; the node would pay for each.
      const sent = [];
      for (let index = 0; index < 40; index++)
        sent.push(
          await anvil.rpc('eth_sendTransaction', {
            from: index === 0 ? payer : other,
            to: silent.address,
            data: silent.encode('sweep', recipient, index === 0 ? 1000n : 0n),
            gas: '0x186a0',
          }),
        );
      await anvil.rpc('evm_setAutomine', true);
      await anvil.mine();
      const funded = () =>
        vigil.store.query<Json>(sql`select address, hops, source, transaction_hash from funded_address`);
      await until(async () => (await funded()).length > 0);
      expect(await funded()).toEqual([
        { address: recipient.toLowerCase(), hops: 1, source: silent.address, transaction_hash: sent[0] },
      ]);
      // A whole block is one trace.
      if (!innerCalls) expect(node.traced - before).toBeLessThanOrEqual(32);
      await until(async () => (await vigil.store.query(sql`select from untraced_block`)).length === 0);
      await target.send(recipient, 'setValue', 1n);
      await until(async () => (await vigil.alerts('detectorSchemaName:mixer_funding')).length > 0);
      const [alert] = await vigil.alerts('detectorSchemaName:mixer_funding');
      expect(alert).toMatchObject({ meta: { fundedBy: silent.address, tags: ['MIXER'], hops: 1 } });
      const quiet = node.traced;
      if (!innerCalls) {
        await target.send(other!, 'setValue', 2n);
        await vigil.reached('anvil', Number(await anvil.blockNumber()));
        expect(node.traced).toBe(quiet);
      }
    } finally {
      await anvil.rpc('evm_setAutomine', true);
      await vigil.stop();
      await node.stop();
    }
  });
});
