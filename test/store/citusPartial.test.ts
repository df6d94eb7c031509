import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAlertWriter } from '../../src/alerts/createAlertWriter.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { Problem } from '../../src/model/errors.ts';
import { takeSteps } from '../../src/notify/escalations/takeSteps.ts';
import { createAlertLinks } from '../../src/services/alerts/createAlertLinks.ts';
import { lastAlertEvent, readAlertEvents } from '../../src/store/alerts/alertEvents.ts';
import { createShardGroups } from '../../src/store/alerts/createShardGroups.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { findShardGroups } from '../../src/store/db/shards/findShardGroups.ts';
import { readCluster } from '../../src/store/db/shards/readCluster.ts';
import { startEscalations } from '../../src/store/onCall/escalations.ts';
import { eidSql } from '../../src/store/search/documents/packedHashes.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { createWorld } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';

const missing = await whyNoCitus();
let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let citus: Citus;
let api: TestApi;
/** The worker of each tenant. */
let groups: Map<number, number>;

const perTenant = 12;
type World = Awaited<ReturnType<typeof createWorld>>;
const worlds = new Map<number, World>();

beforeAll(async () => {
  if (missing) return;
  workspace = await createWorkspace();
  citus = await startCitus(workspace.folder);
  const { connection } = citus.coordinator;
  await migrate(connection);
  await distribute(connection, () => {});
  api = await startTestApi({ database: { config: connection, drop: async () => {} } });
  const tenants: number[] = [];
  do {
    tenants.push(await raiseSome());
    groups = await findShardGroups(api.store, tenants);
  } while (new Set(groups.values()).size < 2);
});

afterAll(async () => {
  await api?.stop();
  await workspace?.remove();
});

/** Aggregations name what is missing; an export, which is read later, is refused before it begins. */
async function expectPartOfAll(): Promise<void> {
  const aggregation = [
    { name: 'tenants', field: 'tenantId' },
    { name: 'days', field: 'timestamp', aggregation: ['date_histogram'], interval: '1d' },
  ];
  for (const query of [undefined, 'name:late', 'Found', 'la*']) {
    const part = await api.ok('POST', 'alert/aggregation', { ...(query && { query }), aggregation });
    expect(part.partial).toEqual(['worker 1']);
    expect(part.total).toBeGreaterThan(0);
    expect(part.data.days.count).toBe(part.total);
    const keys: number[] = part.data.tenants.buckets.map(({ key }: { key: number }) => key);
    expect(keys.filter((id) => groups.get(id) !== 2)).toEqual([]);
  }
  for (const path of ['alert/search', 'incident/search']) {
    const file = await api.call('POST', path, {}, { headers: { accept: 'text/csv' } });
    expect(file.status).toBe(503);
    expect(file.body.detail).toMatch(
      /^An export over all tenants would lack what worker 1 of the database has/,
    );
  }
  const incidents = await api.ok('POST', 'incident/search', { size: 100 });
  expect(incidents.partial).toEqual(['worker 1']);
  expect(incidents.data.filter(({ tenantId }: Json) => groups.get(tenantId) !== 2)).toEqual([]);
}

async function raiseSome(): Promise<number> {
  const world = await createWorld(api);
  worlds.set(world.tenant.id, world);
  await raiseAll(
    api.store,
    Array.from({ length: perTenant }, (_, n) => findingOf(world, `late-${n}`, n)),
  );
  return world.tenant.id;
}

function findingOf({ tenant, project, contract, detector }: World, eid: string, n = 0): Finding {
  return {
    tenantId: tenant.id,
    projectId: project.id,
    contractId: contract.id,
    detectorId: detector.id,
    kind: 'detector',
    group: 'SECURITY',
    severity: 'HIGH',
    timestamp: Date.now() - 1000 * n,
    key: `partial ${tenant.id} ${eid}`,
    eid,
    name: 'late',
    message: `Found ${n}`,
    meta: {},
    tags: ['some'],
  };
}

const raiseOne = async (tenantId: number, eid: string) =>
  raiseAll(api.store, [findingOf(worlds.get(tenantId)!, eid)]);

function tenantOn(worker: number): number {
  return [...groups].find(([, group]) => group === worker)![0];
}

async function openStream(tenantId: number, lastEventId?: string) {
  const ending = new AbortController();
  const headers = {
    authorization: `Bearer ${await api.token(tenantId, 'tenant-viewer')}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const response = await fetch(`${api.url}/api/v1/alert/stream`, { headers, signal: ending.signal });
  const stream = { text: '', hasEnded: false, close: () => ending.abort() };
  void (async () => {
    for await (const piece of response.body!) stream.text += Buffer.from(piece).toString();
  })()
    .catch(() => undefined)
    .finally(() => {
      stream.hasEnded = true;
    });
  await until(() => stream.text.includes(': connected'));
  return stream;
}

it('an administrator finds what other workers have while one hangs, and reads which one is missing', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const searches = [
    {},
    { query: 'name:late' },
    { query: 'Found' },
    { from: 5 },
    { query: 'name:late', from: 3, size: 4 },
    { sort: [{ field: 'numericSeverity', order: 'asc' }] },
  ];
  const kept = [...groups].filter(([, group]) => group === 2).map(([id]) => id);
  const [lost] = [...groups].flatMap(([id, group]) => (group === 1 ? [id] : []));
  const token = await api.token(lost!, 'tenant-viewer');
  const goOn = await citus.workers[0]!.hang();
  try {
    for (const search of searches) {
      const { total, data, partial } = await api.ok('POST', 'alert/search', { size: 100, ...search });
      expect({ search, total, partial }).toEqual({
        search,
        total: perTenant * kept.length,
        partial: ['worker 1'],
      });
      expect(data.length).toBeGreaterThan(0);
      expect(data.filter(({ tenantId }: Json) => !kept.includes(tenantId))).toEqual([]);
    }
    await expectPartOfAll();
    // A tenant has nothing else to find, so that it gets no part that would look like all.
    const own = await api.call('POST', 'alert/search', {}, { token });
    expect(own.status).toBe(503);
    expect(own.body.detail).toMatch(/^The database worker 1, .* does not answer/);
  } finally {
    goOn();
  }
  await until(async () => {
    const { status, body } = await api.call('POST', 'alert/search', {});
    return status === 200 && !('partial' in body) && body.total === perTenant * groups.size;
  });
});

it.each(['a statement', 'its commit'] as const)(
  'a transaction that a hanging worker has caught in %s keeps neither rows nor events from other tenants',
  async (caughtIn) => {
    if (missing) return;
    const { store } = api;
    const [lost, kept] = [tenantOn(1), tenantOn(2)];
    const insert = sql`insert into external_finding (tenant_id, detector_id, eid, uid)
      select ${lost}::bigint, 1, ${caughtIn}, gen_random_uuid()`;
    const rename = (name: string) => sql`update tenant set name = ${name} where id = ${kept}`;
    let goOn: (() => void) | undefined;
    let early: Promise<unknown> | undefined;
    try {
      const caught = store.transaction(async (tx) => {
        await tx.query(rename('Caught'));
        await tx.query(insert);
        await tx.query(sql`insert into alert_event (tenant_id, alert_uids, type, at)
          values (${lost}, array[gen_random_uuid()], 'raised', 1)`);
        goOn = await citus.workers[0]!.hang();
        // Waits for the row since before the transaction is given up.
        early = store.transaction((other) => other.query(rename('Early')));
        if (caughtIn === 'a statement')
          await tx.query(sql`select from external_finding where tenant_id = ${lost}`);
      });
      await expect(caught).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('worker 1'),
      });
      await until(async () => {
        const open = await citus.coordinator.ask(
          `select from pg_stat_activity where application_name = 'vigil' and backend_xid is not null`,
        );
        return open.length === 0;
      });
      await early;
      await store.transaction(async (tx) => {
        await tx.query(sql`set local lock_timeout = '1s'`);
        await tx.query(rename('Free'));
      });
      const before = await lastAlertEvent(store);
      await raiseOne(kept, `beside ${caughtIn}`);
      const scope = { all: false, tenantIds: [kept], organisationIds: [] };
      const events = await readAlertEvents(store, scope, { after: before }, 10);
      expect(events.map(({ type, alert }) => [type, JSON.parse(alert ?? '{}').eid])).toEqual([
        ['raised', `beside ${caughtIn}`],
      ]);
    } finally {
      goOn?.();
    }
    await until(async () => (await citus.coordinator.ask('select from pg_prepared_xacts')).length === 0);
    await until(async () => (await api.call('POST', 'alert/search', {})).body.partial === undefined);
  },
);

it('a stream goes on beside one whose worker hangs, which ends at what it cannot read and gets that later', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const { store } = api;
  const [lost, kept] = [tenantOn(1), tenantOn(2)];
  const [ofLost, ofKept] = await Promise.all([openStream(lost), openStream(kept)]);
  await raiseOne(lost, 'before the hang');
  await until(() => ofLost.text.includes('before the hang'));
  const [alert] = await store.query<{ uid: string }>(
    sql`select uid::text from alert where tenant_id = ${lost} order by timestamp limit 1`,
  );
  const goOn = await citus.workers[0]!.hang();
  try {
    // As a transaction leaves it whose second phase the worker has not answered.
    await store.query(sql`insert into alert_event (tenant_id, alert_uids, type, at)
      values (${lost}, array[${alert!.uid}::uuid], 'changed', 1)`);
    await until(() => ofLost.hasEnded);
    await raiseOne(kept, 'beside the hang');
    await until(() => ofKept.text.includes('beside the hang'));
    expect(ofKept.hasEnded).toBe(false);
    expect(ofLost.text).not.toContain('event: changed');
  } finally {
    goOn();
  }
  await until(async () => (await api.call('POST', 'alert/search', {})).body.partial === undefined);
  const [, last] = [...ofLost.text.matchAll(/^id: (.*)$/gm)].at(-1) ?? [];
  const again = await openStream(lost, last);
  await until(() => again.text.includes('event: changed'));
  expect(again.text).toContain(alert!.uid);
  again.close();
  ofKept.close();
});

it('a month that is new to the cluster waits for a worker that hangs, while alerts of now do not', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const kept = tenantOn(2);
  const { contract, detectorSchema } = worlds.get(kept)!;
  const { id } = await api.ok('POST', 'detector', {
    contractId: contract.id,
    schemaId: detectorSchema.id,
    name: 'Engine',
    source: 'EXTERNAL',
  });
  const token = await api.token(kept, 'tenant-user');
  const push = (eid: string, timestamp: number) =>
    api.call('POST', `detector/${id}/alert`, { alerts: [{ eid, message: eid, timestamp }] }, { token });
  const old = Date.UTC(2011, 4, 1);
  const goOn = await citus.workers[0]!.hang();
  try {
    const refused = await push('old', old);
    expect(refused.status).toBe(503);
    expect(refused.body.detail).toMatch(/all database workers, and worker 1 does not answer/);
    expect((await push('new', Date.now())).status).toBe(200);
  } finally {
    goOn();
  }
  await until(async () => (await push('old', old)).status === 200);
});

it('beyond the bound of findings that wait a chain stops and names their tenants, and all is written when the worker is back', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  const { store } = api;
  const [lost, kept] = [tenantOn(1), tenantOn(2)];
  const errors: unknown[] = [];
  const writer = createAlertWriter({
    store,
    alertHooks: [],
    minedHooks: [],
    retractionHooks: [],
    shardGroups: createShardGroups(store),
    now: Date.now,
    onGroupFailure: () => {},
    maxWaitingBytes: 4000,
  });
  writer.start((error) => errors.push(error));
  const taken: string[] = [];
  const commit = async (tenantId: number) => {
    const eid = `bound ${tenantId} ${taken.length}`;
    const findings = [findingOf(worlds.get(tenantId)!, eid)];
    await writer.commit('anvil', async () => ({
      result: undefined,
      writes: [{ type: 'raise', of: 'blocks', findings }],
    }));
    taken.push(eid);
  };
  try {
    const goOn = await citus.workers[0]!.hang();
    try {
      let refusal: Error | undefined;
      await until(async () => {
        refusal = await commit(lost).then(
          () => undefined,
          (error: Error) => error,
        );
        return refusal;
      });
      expect(refusal).toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(
          new RegExp(`^Findings of tenant ${lost} wait for the database worker 1, .*VIGIL_MAX_UNWRITTEN_MIB`),
        ),
      });
      // Only blocks that concern its tenants stop.
      await commit(kept);
    } finally {
      goOn();
    }
    await until(() =>
      commit(lost).then(
        () => true,
        () => false,
      ),
    );
    await until(async () => (await store.query(sql`select from group_write`)).length === 0);
  } finally {
    await writer.stop();
  }
  const stored = await store.query<{ eid: string }>(
    sql`select ${eidSql} as eid from alert t where ${eidSql} like 'bound %'`,
  );
  expect(stored.map(({ eid }) => eid).sort()).toEqual(taken.sort());
  expect(errors.filter((error) => !(error instanceof Problem))).toEqual([]);
});

it('a call on duty goes out while those of tenants whose worker hangs wait', async ({ skip }) => {
  skip(missing !== undefined, missing);
  const { store } = api;
  const tenantIds = [tenantOn(1), tenantOn(2)];
  const alerts = await store.query<{ tenantId: number; uid: string }>(
    sql`select distinct on (tenant_id) tenant_id as "tenantId", uid::text from alert
      where tenant_id = any(${tenantIds}::bigint[]) order by tenant_id, uid`,
  );
  const now = Date.now();
  await startEscalations(
    store,
    alerts.map(({ tenantId, uid }) => ({
      tenantId,
      incidentUid: uid,
      alertUid: uid,
      escalationChainId: worlds.get(tenantId)!.escalationchain.id,
      startedBy: 'test',
    })),
    now,
  );
  const due = async () => {
    const rows = await store.query<{ tenantId: number }>(
      sql`select tenant_id as "tenantId" from escalation where state = 'RUNNING' and position = 0`,
    );
    return rows.map(({ tenantId }) => tenantId).sort((a, b) => a - b);
  };
  expect(await due()).toEqual(tenantIds.toSorted((a, b) => a - b));
  const links = createAlertLinks(() => 'https://vigil.example.com');
  const goOn = await citus.workers[0]!.hang();
  try {
    // The first attempt may leave them locked for a moment.
    await until(async () => (await takeSteps(store, { now, links })) === 1);
    expect(await due()).toEqual([tenantIds[0]]);
  } finally {
    goOn();
  }
  await until(async () => {
    await takeSteps(store, { now, links }).catch(() => undefined);
    return (await due()).length === 0;
  });
});

it('a tenant reads that its findings wait for a worker, and no other tenant does', async ({ skip }) => {
  skip(missing !== undefined, missing);
  const [waiting, other] = [...groups.keys()];
  await api.store.query(
    sql`insert into group_write (chain_uid, shard_group, writes, findings, retracts, at, tenant_ids)
      values ('anvil', 1, '[]', 3, false, ${Date.now() - 60_000}, ${[waiting]}::bigint[])`,
  );
  const faultsOf = async (tenantId: number) => {
    const token = await api.token(tenantId, 'tenant-viewer');
    return (await api.ok('GET', 'fault?kind=tenant', undefined, { token })).data;
  };
  expect(await faultsOf(waiting!)).toMatchObject([
    {
      kind: 'tenant',
      id: waiting,
      tenantId: waiting,
      state: 'LATE',
      reason: expect.stringMatching(/^Findings of 1 block wait, because the database server/),
    },
  ]);
  expect(await faultsOf(other!)).toEqual([]);
  expect((await readCluster(citus.url))?.faults).toEqual([
    expect.stringMatching(
      new RegExp(`^3 findings of chains .* wait for a worker .*, those of tenant ${waiting}\\.`),
    ),
  ]);
});

it('an administrator finds what other workers have while one is down', async ({ skip }) => {
  skip(missing !== undefined, missing);
  const before = (await api.ok('POST', 'alert/search', {})).total;
  await citus.workers[0]!.kill();
  try {
    const { total, data, partial } = await api.ok('POST', 'alert/search', { size: 100 });
    expect(partial).toEqual(['worker 1']);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThan(before);
    expect(data.filter(({ tenantId }: Json) => groups.get(tenantId) !== 2)).toEqual([]);
    await expectPartOfAll();
  } finally {
    await citus.workers[0]!.start();
  }
  await until(async () => (await api.call('POST', 'alert/search', {})).body.total === before);
});
