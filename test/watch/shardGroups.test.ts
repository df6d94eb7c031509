import { afterEach, describe, expect, it } from 'vitest';
import { type AlertWriter, createAlertWriter } from '../../src/alerts/createAlertWriter.ts';
import type { GroupFailure } from '../../src/alerts/createGroupLanes.ts';
import { sql } from '../../src/lib/sql.ts';
import type { FindGroups } from '../../src/store/alerts/groupWrites.ts';
import { incidentUidSql } from '../../src/store/alerts/incidentUidSql.ts';
import { blockHashSql } from '../../src/store/alerts/packedHashes.ts';
import { ensurePartitions } from '../../src/store/alerts/partitions.ts';
import { unpackedRollups, verifyRollups } from '../../src/store/alerts/rollups.ts';
import { type Db, openStore, type Store } from '../../src/store/db.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { until } from '../../testing/until.ts';
import { chainUid, createSteps, findingIn, type Step, startAt, tenants } from './support/groupSteps.ts';
import { createMortalStore, Killed, moments } from './support/mortalStore.ts';

/** Two tenants in each. */
const groupOf = (tenantId: number): number => tenantId % 3;
const findGroups: FindGroups = async (_db, ids) => new Map(Array.from(ids, (id) => [id, groupOf(id)]));

describe('alerts that are written by shard group', () => {
  const random = createRandom('shard groups');
  const opened: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.stop();
  });

  it('with crashes at every moment, nothing is lost, repeated, out of order or notified twice', async () => {
    const steps = createSteps(random, 24);
    const plain = await openWorld();
    await run(createProcess(plain), plain, steps);
    const grouped = await openWorld();
    const deaths: string[] = [];
    for (let life = 0; ; life++) {
      const fatal = moments[life % moments.length]!;
      // Each lives longer than the one before, because what those that died early left must be written at once.
      let left =
        fatal === 'within a transaction' ? random.integer(1, 40 + 10 * life) : Math.ceil(1.15 ** life);
      const store = createMortalStore(grouped, (moment) => moment === fatal && --left === 0);
      const writer = createProcess(store, { isGrouped: true });
      const error = await run(writer, store, steps)
        .then(() => written(writer, store))
        .catch((cause: unknown) => cause);
      await writer.stop();
      if (error === undefined) break;
      if (!(error instanceof Killed)) throw error;
      deaths.push(error.message);
    }
    expect(deaths.length).toBeGreaterThan(12);
    expect(new Set(deaths)).toEqual(new Set(moments));
    expect(await verifyRollups(grouped)).toEqual([]);
    const expected = await dump(plain);
    expect(expected.alerts.length).toBeGreaterThan(20);
    expect(await dump(grouped)).toEqual(expected);
  });

  it('what a group that cannot be written has found waits in its order, while others go on', async () => {
    const steps = createSteps(random, 40);
    const plain = await openWorld();
    const grouped = await openWorld();
    let isDown = true;
    const down = 1;
    const plainWriter = createProcess(plain);
    const writer = createProcess(grouped, { isGrouped: true, isDown: (group) => isDown && group === down });
    const up = tenants.filter((id) => groupOf(id) !== down);
    await run(plainWriter, plain, steps.slice(0, 30));
    await run(writer, grouped, steps.slice(0, 30));
    expect(await dump(grouped, up)).toEqual(await dump(plain, up));
    expect((await dump(grouped)).alerts.filter((row) => !up.includes(Number(row.tenant_id)))).toEqual([]);
    expect(await waiting(grouped)).toBeGreaterThan(0);
    isDown = false;
    // It is tried again without another step of the chain.
    await written(writer, grouped);
    expect(await dump(grouped)).toEqual(await dump(plain));
    await run(plainWriter, plain, steps);
    await run(writer, grouped, steps);
    expect(await dump(grouped)).toEqual(await dump(plain));
    expect(await verifyRollups(grouped)).toEqual([]);
  });

  it('what is known to be taken back is never raised without being taken back', async () => {
    const store = await openWorld();
    let isDown = true;
    const block = { number: 1, hash: '0x1b' };
    const steps: Step[] = Array.from({ length: 70 }, (_, n) => ({
      at: startAt + n,
      apply: async () =>
        n < 69
          ? [{ type: 'raise', of: 'blocks', findings: [findingIn(block, n)] } as const]
          : [{ type: 'retractBlocks', blocks: [block] }],
    }));
    const standing: number[] = [];
    const writer = createProcess(
      {
        ...store,
        async transaction(work) {
          const result = await store.transaction(work);
          const rows = await store.query(
            sql`select 1 from alert t where retracted_at is null and ${blockHashSql} is not null`,
          );
          standing.push(rows.length);
          return result;
        },
      },
      { isGrouped: true, isDown: () => isDown },
    );
    await run(writer, store, steps);
    isDown = false;
    await written(writer, store);
    expect(Math.max(...standing)).toBe(0);
    expect((await dump(store)).alerts.filter((row) => row.block_hash !== null).length).toBe(69);
  });

  it('what is of one group alone is written with its step, unless the group takes too long or something waits for it', async () => {
    const store = await openWorld();
    const steps: Step[] = Array.from({ length: 5 }, (_, n) => ({
      at: startAt + n,
      apply: async () => [
        { type: 'raise', of: 'blocks', findings: [findingIn({ number: n + 1, hash: `0x${n}b` }, n)] },
      ],
    }));
    const failures: number[] = [];
    const writer = createProcess(store, {
      isGrouped: true,
      onGroupFailure: ({ group }) => failures.push(group),
      beforeHooks: (tx) => tx.query(sql`select pg_advisory_xact_lock(1)`),
    });
    const alerts = async () => (await dump(store)).notified.length;
    await run(writer, store, steps.slice(0, 2));
    expect([await alerts(), await stored(store)]).toEqual([2, 0]);
    await store.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(1)`);
      await run(writer, store, steps.slice(0, 4));
      expect([await alerts(), await waiting(store), failures]).toEqual([2, 2, [groupOf(1)]]);
    });
    await written(writer, store);
    expect(await alerts()).toBe(4);
    const before = await stored(store);
    await run(writer, store, steps);
    expect([await alerts(), await stored(store)]).toEqual([5, before]);
    expect(await verifyRollups(store)).toEqual([]);
  });

  it('adds words to the dictionary where the alerts of their tenant are written', async () => {
    const store = await openWorld();
    const writer = createProcess(store, { isGrouped: true, isDown: (group) => group === groupOf(1) });
    const found = findingIn({ number: 1, hash: '0x1b' }, 1);
    const findings = [found, { ...found, tenantId: 2, projectId: 2, contractId: 2 }];
    await writer.prepare(findings);
    await writer.commit(chainUid, async () => ({
      result: undefined,
      writes: [{ type: 'raise', of: 'blocks', findings }],
    }));
    const { alerts, words } = await dump(store);
    const tenantsIn = (rows: readonly { tenant_id?: unknown }[]) =>
      new Set(rows.map(({ tenant_id: id }) => Number(id)));
    expect([tenantsIn(alerts), tenantsIn(words)]).toEqual([new Set([2]), new Set([2])]);
  });

  async function openWorld(): Promise<Store> {
    const database = await createTestDatabase('migrated');
    const store = openStore({ ...database.config, max: 6 }, () => {});
    opened.push({
      async stop() {
        await store.close();
        await database.drop();
      },
    });
    await ensurePartitions(store, 'alert', [startAt]);
    await store.query(sql`update plan set detector_rate_limit = 12, detector_rate_limit_duration = 60000`);
    await store.query(sql`create table notified (id serial, what text, uid uuid, tenant_id bigint)`);
    await store.query(sql`insert into chain_cursor (chain_uid, head, confirmed, final, updated_at, ticked_at)
      values (${chainUid}, 0, 0, 0, 0, 0)`);
    for (const id of tenants) {
      await store.query(
        sql`insert into tenant (id, created_at, updated_at, name) values (${id}, 0, 0, ${String(id)})`,
      );
      await store.query(sql`insert into project (id, tenant_id, created_at, updated_at, name)
        values (${id}, ${id}, 0, 0, ${String(id)})`);
      await store.query(
        sql`insert into contract (id, tenant_id, project_id, created_at, updated_at, chain_uid, address,
          canonical_address, name) values (${id}, ${id}, ${id}, 0, 0, ${chainUid}, '0x1', '0x1', 'One')`,
      );
    }
    return store;
  }

  /** What one process has of it. */
  function createProcess(
    store: Store,
    {
      isGrouped = false,
      isDown = () => false,
      beforeHooks = async () => {},
      onGroupFailure = () => {},
    }: {
      isGrouped?: boolean;
      isDown?: (group: number) => boolean;
      beforeHooks?: (tx: Db) => Promise<unknown>;
      onGroupFailure?: (failure: GroupFailure) => void;
    } = {},
  ) {
    const record = (what: string) => async (tx: Db, alerts: readonly { uid: string; tenantId: number }[]) => {
      if (alerts.some(({ tenantId }) => isDown(groupOf(tenantId)))) throw new Error('The server is down.');
      await beforeHooks(tx);
      // A statement returns them in any order.
      for (const { uid, tenantId } of alerts.toSorted((one, other) => one.uid.localeCompare(other.uid)))
        await tx.query(
          sql`insert into notified (what, uid, tenant_id) values (${what}, ${uid}, ${tenantId})`,
        );
    };
    const raised = (what: string) => {
      const write = record(what);
      return (tx: Db, alerts: readonly { uid: string; finding: { tenantId: number } }[]) =>
        write(
          tx,
          alerts.map(({ uid, finding }) => ({ uid, tenantId: finding.tenantId })),
        );
    };
    const clock = { at: 0 };
    const writer = createAlertWriter({
      store,
      shardGroups: async () => (isGrouped ? findGroups : undefined),
      alertHooks: [raised('raised')],
      minedHooks: [raised('mined')],
      retractionHooks: [record('retracted')],
      now: () => clock.at,
      onGroupFailure,
    });
    writer.start(() => {});
    opened.push(writer);
    return { ...writer, clock };
  }
});

type Process = AlertWriter & { clock: { at: number } };

/** Takes the steps that are left. */
async function run(writer: Process, store: Store, steps: readonly Step[]): Promise<void> {
  for (;;) {
    const [cursor] = await store.query<{ next: number }>(sql`select ticked_at as next from chain_cursor`);
    const step = steps[cursor?.next ?? 0];
    if (!step) return;
    writer.clock.at = step.at;
    await writer.commit(chainUid, async (tx) => {
      await tx.query(sql`update chain_cursor set ticked_at = ticked_at + 1`);
      return { result: undefined, writes: await step.apply(tx) };
    });
  }
}

/** Waits until everything is written, a day later by the clock of the process. */
async function written({ clock }: Process, store: Store): Promise<void> {
  clock.at = startAt + 86_400_000;
  await until(async () => (await waiting(store)) === 0);
}

async function waiting(store: Store): Promise<number> {
  const rows = await store.query(sql`select 1 from group_write`);
  return rows.length;
}

/** How many rows were ever stored to be written later. */
async function stored(store: Store): Promise<number> {
  const [row] = await store.query<{ count: number }>(
    sql`select case when is_called then last_value else 0 end as count from group_write_id_seq`,
  );
  return row!.count;
}

async function dump(store: Store, tenantIds = tenants) {
  const own = sql`tenant_id = any(${tenantIds}::bigint[])`;
  const [alerts, rollups, incidents, pending, notified, words, fields] = await Promise.all([
    store.query<Record<string, unknown>>(
      sql`select tenant_id, uid, timestamp, retracted_at is null as stands, retraction_reason, ${blockHashSql} as block_hash, is_pending,
        ${incidentUidSql} as incident_uid, suppressed, numeric_severity, terms from alert t where ${own} order by uid`,
    ),
    store.query(sql`select * from ${unpackedRollups} r where ${own} order by 1, 2, 3, 4, 5, 6`),
    store.query(
      sql`select tenant_id, uid, alerts, open_alerts, status from incident where ${own} order by uid`,
    ),
    store.query(
      sql`select tx_hash, tenant_id, place, state, block_hash from pending_alert where ${own}
        order by tx_hash, tenant_id, place`,
    ),
    store.query<{ tenantId: number; what: string; uid: string }>(
      sql`select tenant_id as "tenantId", what, uid from notified where ${own} order by tenant_id, id`,
    ),
    store.query<{ tenant_id: number }>(
      sql`select * from alert_word where ${own} order by tenant_id, field, is_shape, word`,
    ),
    store.query(sql`select * from alert_word_field where ${own} order by tenant_id, field`),
  ]);
  return { alerts, rollups, incidents, pending, notified, words, fields };
}
