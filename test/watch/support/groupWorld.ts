import { type AlertWriter, createAlertWriter } from '../../../src/alerts/createAlertWriter.ts';
import type { GroupFailure } from '../../../src/alerts/createGroupLanes.ts';
import { sql } from '../../../src/lib/sql.ts';
import type { FindGroups } from '../../../src/store/alerts/groupWrites.ts';
import type { Db, Store } from '../../../src/store/db/db.ts';
import { openStore } from '../../../src/store/db/openStore.ts';
import { incidentUidSql } from '../../../src/store/search/documents/incidentUidSql.ts';
import { blockHashSql } from '../../../src/store/search/documents/packedHashes.ts';
import { ensurePartitions } from '../../../src/store/search/months/partitions.ts';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { until } from '../../../testing/until.ts';
import { readRollups } from '../../support/readRollups.ts';
import { chainUid, type Step, startAt, tenants } from './groupSteps.ts';

/** Two tenants in each. */
export const groupOf = (tenantId: number): number => tenantId % 3;
const findGroups: FindGroups = async (_db, ids) => new Map(Array.from(ids, (id) => [id, groupOf(id)]));

/** Databases whose alerts are written by shard group, and processes that write them. */
export function createGroupWorlds() {
  const opened: { stop(): Promise<void> }[] = [];

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
      beforeHooks?: (tx: Db, alerts: readonly { tenantId: number }[]) => Promise<unknown>;
      onGroupFailure?: (failure: GroupFailure) => void;
    } = {},
  ) {
    const record = (what: string) => async (tx: Db, alerts: readonly { uid: string; tenantId: number }[]) => {
      if (alerts.some(({ tenantId }) => isDown(groupOf(tenantId)))) throw new Error('The server is down.');
      await beforeHooks(tx, alerts);
      // A statement returns them in any order.
      for (const { uid, tenantId } of alerts.toSorted((one, other) => one.uid.localeCompare(other.uid)))
        await tx.query(
          sql`insert into notified (what, uid, tenant_id) values (${what}, ${uid}, ${tenantId})`,
        );
    };
    const raised = (what: string) => {
      const write = record(what);
      return async (tx: Db, alerts: readonly { uid: string; finding: { tenantId: number } }[]) => () =>
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

  return {
    openWorld,
    createProcess,
    async stop(): Promise<void> {
      for (const one of opened.splice(0).reverse()) await one.stop();
    },
  };
}

export type Process = AlertWriter & { clock: { at: number } };

/** Takes the steps that are left. */
export async function run(writer: Process, store: Store, steps: readonly Step[]): Promise<void> {
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
export async function written({ clock }: Process, store: Store): Promise<void> {
  clock.at = startAt + 86_400_000;
  await until(async () => (await waiting(store)) === 0);
}

/** Of one group, or of all. */
export async function waiting(store: Store, group?: number): Promise<number> {
  const rows = await store.query(
    sql`select 1 from group_write where shard_group = coalesce(${group ?? null}::int, shard_group)`,
  );
  return rows.length;
}

export async function dump(store: Store, tenantIds = tenants) {
  const own = sql`tenant_id = any(${tenantIds}::bigint[])`;
  const [alerts, rollups, incidents, pending, notified, words, fields] = await Promise.all([
    store.query<Record<string, unknown>>(
      sql`select tenant_id, uid, timestamp, retracted_at is null as stands, retraction_reason, ${blockHashSql} as block_hash, is_pending,
        ${incidentUidSql} as incident_uid, suppressed, numeric_severity, terms from alert t where ${own} order by uid`,
    ),
    readRollups(store, tenantIds),
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
