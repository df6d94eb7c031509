import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { timedUid } from '../../src/lib/uid.ts';
import { everything } from '../../src/model/principal.ts';
import type { Store } from '../../src/store/db/db.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { findShardGroups } from '../../src/store/db/shards/findShardGroups.ts';
import { archivedAfterMs, archiveMessages } from '../../src/store/destinations/archivedMessages.ts';
import { claimDeliveries } from '../../src/store/destinations/claimDeliveries.ts';
import { lockDelivery, replayDelivery } from '../../src/store/destinations/deliveryLog.ts';
import { findIncidentNotices } from '../../src/store/destinations/findIncidentNotices.ts';
import { insertResolvedDeliveries, retractDeliveries } from '../../src/store/destinations/followUps.ts';
import { findIncidentStory } from '../../src/store/destinations/incidentMessages.ts';
import { insertDeliveries } from '../../src/store/destinations/insertDeliveries.ts';
import { purgeDeliveries } from '../../src/store/destinations/purgeDeliveries.ts';
import { settleDeliveries } from '../../src/store/destinations/settleDeliveries.ts';
import { findAnswers } from '../../src/store/onCall/answers.ts';
import { ensurePartitions } from '../../src/store/search/months/partitions.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { until } from '../../testing/until.ts';

const missing = await whyNoCitus();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('messages of settled deliveries on Citus', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let citus: Citus;
  let store: Store;
  /** One tenant of each worker; their destinations have the same ids. */
  let tenantIds: number[];
  const now = Date.now();
  const old = now - archivedAfterMs - hourMs;

  beforeAll(async () => {
    if (missing) return;
    workspace = await createWorkspace();
    citus = await startCitus(workspace.folder);
    await migrate(citus.coordinator.connection);
    await distribute(citus.coordinator.connection, () => {}, 4);
    store = openStore(citus.coordinator.connection, () => {});
    const groups = await findShardGroups(store, [1, 2, 3, 4, 5, 6, 7, 8]);
    tenantIds = [...new Map(Array.from(groups, ([tenantId, group]) => [group, tenantId])).values()];
    expect(tenantIds).toHaveLength(2);
    for (const id of tenantIds)
      await citus.coordinator.ask(`insert into tenant (id, name, created_at, updated_at) values (${id}, 'Tenant ${id}', 0, 0);
        insert into destination (id, tenant_id, created_at, updated_at, type, uid, last_sent_at)
        values (${id}, ${id}, 0, 0, 'HTTP', 'uid ${id}', 1)`);
  });

  afterAll(async () => {
    await store?.close();
    await workspace?.remove();
  });

  const claim = async (at = now) =>
    claimDeliveries(store, { now: at, busy: new Map(), limit: 100, mailLimit: 0, hasMail: false });

  const settle = (claimed: Awaited<ReturnType<typeof claim>>, at: number) =>
    settleDeliveries(
      store,
      claimed.map(({ tenantId, sequence: id, destinationId }) => ({
        tenantId,
        id,
        destinationId,
        at,
        durationMs: 1,
        isDelivered: true,
        isStep: true,
        status: 200,
        error: null,
        nextAttemptAt: null,
      })),
      at,
    );

  /** Deliveries of both tenants that were sent a week ago; what they say names their alert. */
  async function sendLongAgo(count: number) {
    const sent = tenantIds.flatMap((tenantId) =>
      Array.from({ length: count }, (_, n) => ({ tenantId, alertUid: randomUUID(), severity: n % 5 })),
    );
    const incidentUids = new Map(tenantIds.map((tenantId) => [tenantId, randomUUID()]));
    const messages = sent.map(({ tenantId, alertUid, severity }) => ({
      tenantId,
      alertUid,
      type: 'alert.detector.raised' as const,
      destinationIds: [tenantId],
      data: { uid: alertUid, numericSeverity: severity, amount: 1.5 },
      incident: { uid: incidentUids.get(tenantId)!, destinationIds: new Set([tenantId]) },
    }));
    await store.transaction((tx) => insertDeliveries(tx, messages, old));
    for (let claimed = await claim(old); claimed.length > 0; claimed = await claim(old))
      await settle(claimed, old);
    return { sent, incidentUids };
  }

  async function counts() {
    const [row] = await store.query<{ here: number; archived: number }>(
      sql`select (select count(*) from delivery_message) as here, (select count(*) from delivery_archive) as archived`,
    );
    return row;
  }

  it('messages of chains are about the worst open alert of their incident, which its worker finds', async () => {
    await ensurePartitions(store, 'alert', [now]);
    const subjects: (Parameters<typeof findAnswers>[1][number] & { other: string })[] = [];
    for (const [index, tenantId] of tenantIds.entries()) {
      const [incidentUid, own, other] = [1, 2, 3].map((n) => timedUid(now + n, [tenantId, n]));
      for (const [n, uid] of [own!, other!].entries())
        await store.query(
          sql`insert into alert (tenant_id, timestamp, contract_id, project_id, uid, numeric_severity, kind, alert_group,
              name, message, eid, terms, incident_uid, is_resolved)
            values (${tenantId}, ${now + 2 + n}, 1, 1, ${uid}::uuid, 10, 'detector', 'SECURITY', 'Name', 'Text', 'e', '{}',
              ${incidentUid!}::uuid, ${n === 0})`,
        );
      await store.query(
        sql`insert into incident (tenant_id, uid, id, name, message, numeric_severity, alerts, open_alerts, contract_ids,
            tx_hashes, first_at, last_at, created_at, updated_at)
          values (${tenantId}, ${incidentUid!}::uuid, ${index + 1}, 'Name', 'Text', 10, 2, 1, '{}', '{}', ${now + 2},
            ${now + 3}, 1, 1)`,
      );
      subjects.push({ tenantId, id: index + 1, incidentUid: incidentUid!, alertUid: own!, other: other! });
    }
    const answers = await store.transaction((tx) => findAnswers(tx, subjects));
    expect(subjects.map(({ id }) => answers.get(id))).toEqual(
      subjects.map(({ other }) => ({ state: null, until: null, alertUid: other })),
    );
  });

  it('move to the workers, come back when they are needed, and are purged', async () => {
    const { sent, incidentUids } = await sendLongAgo(20);
    // A young one, and one that is still to be sent.
    const [tenantId = 0] = tenantIds;
    const other = { tenantId, type: 'alert.detector.raised' as const, destinationIds: [tenantId] };
    await insertDeliveries(store, [{ ...other, data: { said: 'young' } }], now - dayMs);
    await settle(await claim(), now);
    await insertDeliveries(store, [{ ...other, data: { said: 'pending' } }], old);
    await archiveMessages(store, now);
    expect(await counts()).toEqual({ here: 2, archived: 40 });
    expect((await claim()).map(({ data }) => data)).toEqual([{ said: 'pending' }]);

    const [replayed, retracted, resolved] = sent.filter((each) => each.tenantId === tenantId);
    const [{ uid } = { uid: '' }] = await store.query<{ uid: string }>(
      sql`select uid::text from delivery where alert_uid = ${replayed!.alertUid}::uuid`,
    );
    await store.transaction(async (tx) => {
      const delivery = await lockDelivery(tx, everything, uid, now);
      await replayDelivery(tx, delivery!, now);
    });
    await store.transaction((tx) =>
      retractDeliveries(tx, [{ tenantId, uid: retracted!.alertUid, reason: 'gone' }], now),
    );
    await store.transaction((tx) =>
      insertResolvedDeliveries(tx, [{ tenantId, uid: resolved!.alertUid }], now),
    );
    const again = await claim();
    expect(again.map(({ data }) => data)).toEqual([
      { uid: replayed!.alertUid, numericSeverity: 0, amount: 1.5 },
      expect.objectContaining({ uid: retracted!.alertUid, status: 'RETRACTED', retractionReason: 'gone' }),
      expect.objectContaining({ uid: resolved!.alertUid, status: 'RESOLVED', amount: 1.5 }),
    ]);
    await settle(again, now);

    for (const id of tenantIds) {
      const incidentUid = incidentUids.get(id)!;
      const notices = await store.transaction((tx) =>
        findIncidentNotices(tx, [{ tenantId: id, uid: incidentUid }], now),
      );
      expect(notices).toMatchObject([{ destinationId: id, incidentUid, numericSeverity: 4 }]);
    }
    await archiveMessages(store, now);
    const key = { tenantId, destinationId: tenantId, incidentUid: incidentUids.get(tenantId)! };
    const { messages, total } = await findIncidentStory(store, key, now);
    expect(total).toBe(20);
    expect(new Set(messages.map(({ data }) => data.uid))).toEqual(
      new Set(sent.filter((each) => each.tenantId === tenantId).map(({ alertUid }) => alertUid)),
    );

    await archiveMessages(store, now);
    expect((await counts())?.archived).toBe(40);
    await purgeDeliveries(store, now + 92 * dayMs);
    // The pending one keeps what it says.
    expect(await counts()).toEqual({ here: 1, archived: 0 });
  });

  it('wait where their worker is down, and no others do; what someone sends again just then stays', async () => {
    await store.query(sql`delete from delivery_queue`);
    await store.query(sql`delete from delivery_message`);
    const { sent } = await sendLongAgo(3);
    const [lost, kept] = tenantIds;
    const held = sent.find(({ tenantId }) => tenantId === kept);
    const [{ uid } = { uid: '' }] = await store.query<{ uid: string }>(
      sql`select uid::text from delivery where alert_uid = ${held!.alertUid}::uuid`,
    );
    const group = (await findShardGroups(store, [lost!])).get(lost!);
    const [node] = await citus.coordinator.ask(`select nodename from pg_dist_node where groupid = ${group}`);
    const worker = citus.workers.find(({ connection }) => connection.host === node?.nodename)!;
    await worker.kill();
    try {
      await store.transaction(async (tx) => {
        const delivery = await lockDelivery(tx, everything, uid, now);
        await expect(archiveMessages(store, now)).rejects.toThrow('cannot be reached');
        await replayDelivery(tx, delivery!, now);
      });
      const left = await store.query(
        sql`select tenant_id as "tenantId", count(*) as count from delivery_message group by 1 order by 2`,
      );
      expect(left).toEqual([
        { tenantId: kept, count: 1 },
        { tenantId: lost, count: 3 },
      ]);
    } finally {
      await worker.start();
    }
    await until(() =>
      archiveMessages(store, now).then(
        () => true,
        () => undefined,
      ),
    );
    // What stays here may be there as well.
    expect(await counts()).toEqual({ here: 1, archived: 6 });
    expect((await claim()).map(({ data }) => data.uid)).toEqual([held!.alertUid]);
  });
});
