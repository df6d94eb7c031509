import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFinding } from '../../test/support/randomAlerts.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { sql } from '../lib/sql.ts';
import type { Finding } from '../model/alert.ts';
import type { Store } from '../store/db/db.ts';
import { openStore } from '../store/db/openStore.ts';
import { dropOldPartitions } from '../store/search/months/partitions.ts';
import { dayMs, verifyRollups } from '../store/search/rollups/rollups.ts';
import { alertUid } from './alertUid.ts';
import { prepareRaise, raiseAlerts } from './raiseAlerts.ts';
import { retractBlocks } from './retractBlocks.ts';

const chains = ['anvil', 'ethereum'] as const;
const first = Date.UTC(2026, 0, 30);
const last = Date.UTC(2026, 1, 2);
const place = { tenantId: 1, projectId: 1, contractId: 1 };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  // On Citus, alerts are looked for with the tenants that there are.
  await store.query(
    sql`insert into tenant (id, created_at, updated_at, name) select n, 0, 0, 'Tenant ' || n from generate_series(1, 11) n`,
  );
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** Hashes are not unique: two forks, two chains, two heights may share one. */
function blockFinding(random: Random, n: number): Finding {
  const number = random.integer(1, 8);
  const owner = { tenantId: random.integer(1, 2), projectId: 1, contractId: random.integer(1, 3) };
  return {
    ...randomFinding(random, owner, n, first, last),
    chainUid: random.pick(chains),
    blockNumber: number,
    blockHash: `0x${random.pick(['a', 'b'])}${number % 4}`,
  };
}

async function retractedAt(): Promise<Map<string, number | null>> {
  const rows = await store.query<{ uid: string; at: number | null }>(
    sql`select uid, retracted_at as at from alert`,
  );
  return new Map(rows.map(({ uid, at }) => [uid, at]));
}

class Interrupted extends Error {}

describe('raising and retracting', () => {
  it('keeps the roll-ups equal to a recount, in any order, repeated, side by side and broken off half way', async () => {
    const random = createRandom('raises and retractions');
    const findings = Array.from({ length: 400 }, (_, n) => blockFinding(random, n));
    await prepareRaise(store, findings);
    const returned: string[] = [];
    let breaks = 0;

    async function step(now: number): Promise<void> {
      const batch = Array.from({ length: random.integer(1, 40) }, () => random.pick(findings));
      const isBroken = random.chance(0.15);
      const isRaise = random.chance(0.6);
      const number = random.integer(1, 8);
      const blocks = [
        { number, hash: `0x${random.pick(['a', 'b'])}${number % 4}` },
        { number: 3, hash: '0xa3' },
        { number: 3, hash: '0xa3' },
      ].slice(0, random.integer(1, 3));
      const chainUid = random.pick(chains);
      const work = store.transaction(async (tx) => {
        const gone = isRaise ? [] : await retractBlocks(tx, { chainUid, blocks, now });
        if (isRaise) await raiseAlerts(tx, batch);
        if (isBroken) throw new Interrupted();
        return gone;
      });
      const gone = await work.catch((error: unknown) => {
        if (!(error instanceof Interrupted)) throw error;
        breaks++;
        return [];
      });
      returned.push(...gone.map(({ uid }) => uid));
    }

    for (let round = 1; round <= 30; round++) {
      await Promise.all([step(round), step(round), step(round)]);
      expect(await verifyRollups(store)).toEqual([]);
    }
    const marked = [...(await retractedAt())].filter(([, at]) => at !== null).map(([uid]) => uid);
    expect(marked.length).toBeGreaterThan(10);
    expect(breaks).toBeGreaterThan(0);
    // One that came back may have been retracted again.
    for (const uid of marked) expect(returned).toContain(uid);
  });

  it('brings an alert back, with its counts, when its block is part of the chain again', async () => {
    const random = createRandom('back again');
    const finding = {
      ...randomFinding(random, { ...place, tenantId: 11 }, 1, first, last),
      chainUid: 'anvil',
      blockNumber: 200,
      blockHash: '0xback',
    };
    const uid = alertUid(finding);
    await prepareRaise(store, [finding]);
    const raiseIt = () => store.transaction((tx) => raiseAlerts(tx, [finding]));
    expect(await raiseIt()).toHaveLength(1);
    expect(await raiseIt()).toEqual([]);
    const gone = { chainUid: 'anvil', blocks: [{ number: 200, hash: '0xback' }], now: 7 };
    await store.transaction((tx) => retractBlocks(tx, gone));
    expect((await retractedAt()).get(uid)).toBe(7);
    expect(await raiseIt()).toMatchObject([{ uid }]);
    expect((await retractedAt()).get(uid)).toBe(null);
    expect(await verifyRollups(store)).toEqual([]);
  });

  it('retracts the alerts of exactly the blocks named, and reports those alone', async () => {
    const random = createRandom('one block');
    const make = (key: number, block: Partial<Finding>) => ({
      ...randomFinding(random, { ...place, tenantId: 9 }, key, first, last),
      chainUid: 'anvil',
      blockNumber: 100,
      blockHash: '0xgone',
      ...block,
    });
    const gone = [make(1, {}), make(2, { contractId: 2 })];
    const stay = [
      make(3, { blockHash: '0xstays' }),
      make(4, { chainUid: 'ethereum' }),
      make(5, { blockNumber: 101 }),
      make(6, { blockNumber: null, blockHash: null }),
    ];
    await prepareRaise(store, [...gone, ...stay]);
    await store.transaction((tx) => raiseAlerts(tx, [...gone, ...stay]));
    const followed: string[][] = [];
    const again = () =>
      store.transaction((tx) =>
        retractBlocks(tx, { chainUid: 'anvil', blocks: [{ number: 100, hash: '0xgone' }], now: 5 }, [
          async (_tx, retracted) => void followed.push(retracted.map(({ uid }) => uid).sort()),
        ]),
      );
    await again();
    await again();
    expect(followed).toEqual([gone.map(alertUid).sort(), []]);
    const marks = await retractedAt();
    expect(gone.map((finding) => marks.get(alertUid(finding)))).toEqual([5, 5]);
    expect(stay.map((finding) => marks.get(alertUid(finding)))).toEqual([null, null, null, null]);
  });
});

describe('verifying the roll-ups', () => {
  it('finds a count that is wrong, missing, left over or below zero', async () => {
    const random = createRandom('tampered roll-ups');
    const findings = Array.from({ length: 20 }, (_, n) =>
      randomFinding(random, { ...place, tenantId: 7 }, n, first, last),
    );
    await prepareRaise(store, findings);
    await store.transaction((tx) => raiseAlerts(tx, findings));
    const own = sql`tenant_id = 7 and contract_id = 1
      and day = (select min(day) from alert_rollup where tenant_id = 7 and contract_id = 1)`;
    const stray = (count: number) =>
      sql`insert into alert_rollup (tenant_id, contract_id, day, recent)
        values (7, 5, ${Math.floor(first / dayMs)}, array[${count * 4096}::int4])`;
    for (const tamper of [
      sql`update alert_rollup set recent[1] = recent[1] + 4096 where ${own}`,
      sql`update alert_rollup set recent[1] = recent[1] # 1 where ${own}`,
      sql`update alert_rollup set recent[1] = recent[1] | 31 where ${own}`,
      sql`update alert_rollup set totals = array[4096] where ${own}`,
      sql`update alert_rollup set quarters = array[4096] where ${own}`,
      sql`delete from alert_rollup where ${own}`,
      stray(1),
      stray(-1),
      sql`update alert set retracted_at = 1 where tenant_id = 7
        and uid = (select uid from alert where tenant_id = 7 limit 1)`,
    ]) {
      const changed = store.transaction(async (tx) => {
        await tx.query(tamper);
        // Within the same transaction, so that nothing is left of it.
        const faults = await verifyRollups({ ...store, transaction: (work) => work(tx) });
        throw new Interrupted(faults.map(({ tenantId }) => tenantId).join(' '));
      });
      await expect(changed).rejects.toThrow(/^7( 7)*$/);
    }
    expect(await verifyRollups(store)).toEqual([]);
  });

  it('finds no fault after old partitions are dropped', async () => {
    const before = (await retractedAt()).size;
    expect(await dropOldPartitions(store, Date.UTC(2026, 1, 1))).toContain('alert_2026_01');
    expect((await retractedAt()).size).toBeLessThan(before);
    expect(await verifyRollups(store)).toEqual([]);
    const [left] = await store.query<{ count: number }>(
      sql`select count(*) as count from alert_rollup where day < ${Date.UTC(2026, 1, 1) / dayMs}`,
    );
    expect(left!.count).toBe(0);
  });
});
