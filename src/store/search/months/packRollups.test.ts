import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { randomFinding } from '../../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { until } from '../../../../testing/until.ts';
import { prepareRaise, raiseAlerts } from '../../../alerts/raiseAlerts.ts';
import { retractBlocks } from '../../../alerts/retractBlocks.ts';
import { sql } from '../../../lib/sql.ts';
import type { Store } from '../../db/db.ts';
import { openStore } from '../../db/openStore.ts';
import { countByRollup } from '../rollups/countByRollup.ts';
import { dayMs, monthBase, perCount, perQuarter, verifyRollups } from '../rollups/rollups.ts';
import { packRollups } from './packRollups.ts';
import { dropOldPartitions, ensurePartitions } from './partitions.ts';

const january = { from: Date.UTC(2026, 0), to: Date.UTC(2026, 1) };
const march = Date.UTC(2026, 2);
const settled = Date.UTC(2026, 2, 10);
const signal = new AbortController().signal;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  // On Citus they say which shards there are.
  await store.query(
    sql`insert into tenant (id, created_at, updated_at, name) select n, 0, 0, 'Tenant ' || n from generate_series(1, 28) n`,
  );
});
beforeEach(async () => {
  await store.query(sql`delete from rebuilt_month`);
  await ensurePartitions(store, 'alert', [january.from, january.to]);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const pack = (db = store, now = settled) => packRollups(db, now, signal);
/** As another housekeeper does it that knows nothing of this one. */
async function packAgain(): Promise<void> {
  await store.query(sql`delete from rebuilt_month`);
  await pack();
}

async function countRows(tenantId: number): Promise<{ days: number; months: number }> {
  const [rows] = await store.query<{ days: number; months: number }>(
    sql`select count(*) filter (where day < ${monthBase})::int as days, count(*) filter (where day >= ${monthBase})::int as months
      from alert_rollup where tenant_id = ${tenantId}`,
  );
  return rows!;
}

/** Days with one number each, of one contract after the other. */
async function insertDays(tenantId: number, contracts: number, number = perCount): Promise<void> {
  await store.query(
    sql`insert into alert_rollup (tenant_id, contract_id, day, recent)
      select ${tenantId}::bigint, contract, day, array[${number}::int4]
      from generate_series(1, ${contracts}::int) contract, generate_series(${january.from / dayMs}::int, ${january.to / dayMs - 1}::int) day`,
  );
}

async function total(tenantId: number, contractId = 1, from = january.from, to = march - 1): Promise<number> {
  const counts = await countByRollup(store, { tenantId, contractId }, { from, to, starts: [from] });
  return counts!.reduce((sum, { count }) => sum + count, 0);
}

describe('packing roll-ups', () => {
  it('leaves them equal to a recount while alerts come late, are retracted and restored and two processes pack', async () => {
    const random = createRandom('packed roll-ups');
    const findings = Array.from({ length: 300 }, (_, n) => {
      const block = random.integer(1, 9);
      const owner = { tenantId: random.integer(1, 2), projectId: 1, contractId: random.integer(1, 4) };
      return {
        ...randomFinding(random, owner, n, january.from, march - 1),
        chainUid: 'anvil',
        blockNumber: block,
        blockHash: `0x${block}`,
      };
    });
    await prepareRaise(store, findings);
    const raiseSome = () =>
      store.transaction((tx) =>
        raiseAlerts(
          tx,
          Array.from({ length: 20 }, () => random.pick(findings)),
        ),
      );
    const retractSome = (now: number) => {
      const number = random.integer(1, 9);
      const blocks = [{ number, hash: `0x${number}` }];
      return store.transaction((tx) => retractBlocks(tx, { chainUid: 'anvil', blocks, now }));
    };
    let withBoth = 0;
    for (let round = 1; round <= 25; round++) {
      await Promise.all([raiseSome(), packAgain(), retractSome(round), raiseSome(), packAgain()]);
      expect(await verifyRollups(store), `round ${round}, seed ${random.seed}`).toEqual([]);
      const { days, months } = await countRows(1);
      if (days > 0 && months > 0) withBoth++;
    }
    await packAgain();
    expect(await verifyRollups(store)).toEqual([]);
    expect(withBoth).toBeGreaterThan(0);
    expect(await countRows(1)).toEqual({ days: 0, months: 10 });
  });

  it('packs ended months, once, and days that came later after the next month', async () => {
    await insertDays(20, 2);
    await pack(store, Date.UTC(2026, 1, 2));
    expect(await countRows(20)).toEqual({ days: 62, months: 0 });
    await pack(store, Date.UTC(2026, 1, 4));
    expect(await countRows(20)).toEqual({ days: 0, months: 2 });
    await insertDays(20, 1);
    await pack(store, Date.UTC(2026, 1, 4));
    expect(await countRows(20)).toEqual({ days: 31, months: 2 });
    expect([await total(20, 1), await total(20, 2)]).toEqual([62, 31]);
    await pack();
    expect(await countRows(20)).toEqual({ days: 0, months: 2 });
    expect([await total(20, 1), await total(20, 2)]).toEqual([62, 31]);
  });

  it('goes on where a process was killed, and counts the same in between', async () => {
    await insertDays(21, 200);
    let statements = 0;
    const dying: Store = {
      ...store,
      query: (statement) => {
        if (statement.strings.join('').includes('skip locked') && ++statements === 3)
          throw new Error('killed');
        return store.query(statement);
      },
      transaction: (work) => {
        if (++statements === 3) throw new Error('killed');
        return store.transaction(work);
      },
    };
    await expect(pack(dying)).rejects.toThrow('killed');
    const half = await countRows(21);
    if (!(await store.isDistributed())) expect(half.days).toBeLessThan(6200);
    expect(half.days).toBeGreaterThan(0);
    const counts = () => Promise.all([1, 60, 65, 70, 129, 130, 200].map((contract) => total(21, contract)));
    expect(await counts()).toEqual(Array.from({ length: 7 }, () => 31));
    await pack();
    expect(await countRows(21)).toEqual(half);
    await pack(store, settled + 2 * dayMs);
    expect(await countRows(21)).toEqual({ days: 0, months: 200 });
    expect(await counts()).toEqual(Array.from({ length: 7 }, () => 31));
  });

  it('does not wait for alerts that are being written, and leaves their day', async () => {
    await insertDays(22, 1);
    await store.transaction(async (tx) => {
      await tx.query(
        sql`update alert_rollup set recent = ${perCount}::int4 || recent
          where tenant_id = 22 and contract_id = 1 and day = ${january.from / dayMs + 4}`,
      );
      await pack();
      expect(await countRows(22)).toEqual({ days: 1, months: 1 });
      expect(await total(22)).toBe(31);
    });
    expect(await total(22)).toBe(32);
    await packAgain();
    expect(await countRows(22)).toEqual({ days: 0, months: 1 });
    expect(await total(22)).toBe(32);
  });

  it('leaves counts that do not fit, and adds up to any count in parts', async () => {
    const at = (count: number) => count * perCount + 95 * perQuarter + 3;
    await insertDays(23, 1, at(16_384));
    await pack();
    expect(await countRows(23)).toEqual({ days: 31, months: 0 });
    for (let round = 1; round <= 3; round++) {
      await insertDays(24, 1, at(16_383));
      await packAgain();
      expect(await countRows(24)).toEqual({ days: 0, months: 1 });
      expect(await total(24)).toBe(31 * 16_383 * round);
    }
    for (let round = 2; round >= 0; round--) {
      await insertDays(24, 1, at(-16_383));
      await packAgain();
      expect(await total(24)).toBe(31 * 16_383 * round);
    }
    expect(await total(23)).toBe(31 * 16_384);
  });

  it('finds a packed number that is wrong', async () => {
    // Only the first hundred differences are listed.
    await store.query(sql`delete from alert_rollup where tenant_id > 2`);
    await insertDays(25, 1);
    const faultsOf = async () => (await verifyRollups(store)).filter(({ tenantId }) => tenantId === 25);
    const before = await faultsOf();
    expect(before).toHaveLength(62);
    await pack();
    expect(await faultsOf()).toEqual(before);
    const own = sql`tenant_id = 25 and contract_id = 1 and day >= ${monthBase}`;
    await store.query(sql`update alert_rollup set recent[1] = recent[1] + ${32 * perCount} where ${own}`);
    expect((await faultsOf()).filter(({ stored }) => stored === 2)).toHaveLength(2);
    await store.query(sql`delete from alert_rollup where ${own}`);
    expect(await faultsOf()).toEqual([]);
  });

  it('gives back the room that packed days took', async ({ skip }) => {
    skip(await store.isDistributed(), 'On Citus the room stays with the shards, for later days.');
    await store.query(sql`delete from alert_rollup`);
    await insertDays(26, 500);
    const bytes = async () =>
      (await store.query<{ bytes: number }>(sql`select pg_relation_size('alert_rollup') as bytes`))[0]!.bytes;
    const before = await bytes();
    // While rows are still being written, no one waits longer than for its time limit, and the month is not done.
    await store.transaction(async (tx) => {
      await tx.query(
        sql`update alert_rollup set recent = recent where contract_id = 500 and day = ${january.from / dayMs}`,
      );
      await pack();
      expect(await bytes()).toBeGreaterThan(before / 3);
      expect(await store.query(sql`select is_done from rebuilt_month`)).toEqual([{ is_done: false }]);
    });
    // PostgreSQL keeps what a transaction may still see, also that of a session that is just being opened elsewhere.
    await until(async () => {
      await packAgain();
      return (await bytes()) < before / 3;
    });
    expect(await store.query(sql`select is_done from rebuilt_month`)).toEqual([{ is_done: true }]);
    expect(await total(26, 500)).toBe(31);
  });

  it('drops the months that are not kept', async () => {
    await insertDays(27, 3);
    await insertDays(28, 1);
    await store.query(
      sql`update alert_rollup set day = day + 31 where tenant_id = 28 and contract_id = 1 and day < ${january.to / dayMs - 3}`,
    );
    await pack();
    expect(await countRows(28)).toEqual({ days: 0, months: 2 });
    await dropOldPartitions(store, january.to + dayMs);
    expect(await countRows(27)).toEqual({ days: 0, months: 0 });
    expect(await countRows(28)).toEqual({ days: 0, months: 1 });
    expect(await total(28)).toBe(28);
  });
});
