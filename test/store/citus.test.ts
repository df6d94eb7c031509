import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { render, sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { everything } from '../../src/model/principal.ts';
import { lastAlertEvent, readAlertEvents } from '../../src/store/alerts/alertEvents.ts';
import { deleteGroupWrites } from '../../src/store/alerts/groupWrites.ts';
import { retractAlerts } from '../../src/store/alerts/retractAlerts.ts';
import { distributedTables } from '../../src/store/db/citus/distributedTables.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { openClient } from '../../src/store/db/openClient.ts';
import { openPool } from '../../src/store/db/openPool.ts';
import { createStore, openStore } from '../../src/store/db/openStore.ts';
import { atTenant } from '../../src/store/db/shards/atTenant.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { findShardGroups, localGroup } from '../../src/store/db/shards/findShardGroups.ts';
import { perShard } from '../../src/store/db/shards/perShard.ts';
import { readCluster } from '../../src/store/db/shards/readCluster.ts';
import { findAlertDocuments } from '../../src/store/destinations/findAlertDocuments.ts';
import { queueRetractions } from '../../src/store/scores/queueScores.ts';
import { findUndoable } from '../../src/store/scores/undoChanges.ts';
import { compileSearch } from '../../src/store/search/compile/compileQuery.ts';
import { countExactly } from '../../src/store/search/count/countExactly.ts';
import { alertTable } from '../../src/store/search/documents/alertTable.ts';
import { contractScope, ownTenantsScope } from '../../src/store/search/documents/documentScopes.ts';
import { findIncidentStates } from '../../src/store/search/documents/findIncidentStates.ts';
import { ensurePartitions } from '../../src/store/search/months/partitions.ts';
import { renewRollups } from '../../src/store/search/months/renewRollups.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { searchJson } from '../../src/store/search/searchJson.ts';
import { holdPending, insertPendingAlerts } from '../../src/store/watch/pendingAlerts.ts';
import { ask, createCitusDatabase } from '../../testing/createCitusDatabase.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { askAll } from '../support/askAll.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';
import { whilePrepared } from '../support/whilePrepared.ts';

it('says what is missing where there is no Citus', async ({ skip }) => {
  skip(inject('citusWorkers').length > 0, 'The server of this run has Citus.');
  await expect(distribute({ ...inject('postgres') }, () => {})).rejects.toThrow(
    /has no Citus|extension citus cannot be created/,
  );
});

const missing = await whyNoCitus();

describe('on Citus', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let citus: Citus;
  let api: TestApi;
  /** Tenants of two workers. */
  let worlds: World[];
  let groups: Map<number, number>;
  const lines: string[] = [];

  function findings({ tenant, project, contract, detector }: World, name: string, count: number): Finding[] {
    return Array.from({ length: count }, (_, n) => ({
      tenantId: tenant.id,
      projectId: project.id,
      contractId: contract.id,
      detectorId: detector.id,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'HIGH',
      timestamp: Date.now() - 1000 * n,
      key: `${name} ${tenant.id} ${n}`,
      eid: `${name}-${n}`,
      name,
      message: `Number ${n} of ${name}`,
      meta: { amount: n },
      tags: [],
      txHash: `0x${n % 3}`,
    }));
  }

  const search = async (world: World, query: string): Promise<Json[]> => {
    const token = await api.token(world.tenant.id, 'tenant-manager');
    return (await api.ok('POST', 'alert/search', { query, size: 1000 }, { token })).data;
  };

  beforeAll(async () => {
    if (missing) return;
    workspace = await createWorkspace();
    citus = await startCitus(workspace.folder);
    const { connection } = citus.coordinator;
    await migrate(connection);
    api = await startTestApi({ database: { config: connection, drop: async () => {} } });
    expect(await findShardGroups(api.store, [1])).toEqual(new Map([[1, localGroup]]));
    worlds = [];
    for (let n = 0; n < 4; n++) worlds.push(await createWorld(api));
    // Written before the tables are distributed.
    for (const world of worlds) await raiseAll(api.store, findings(world, 'early', 5));
    await distribute(connection, (line) => lines.push(line), 4);
    const fresh = openStore(connection, () => {});
    groups = await findShardGroups(
      fresh,
      worlds.map(({ tenant }) => tenant.id),
    );
    await fresh.close();
  });

  afterAll(async () => {
    await api?.stop();
    await workspace?.remove();
  });

  it('moves what exists, once, and writes and finds what comes later', async () => {
    expect(lines.join('\n')).toMatch(
      /^alert: created on the workers, changes are noted\n[\s\S]*\nalert_\d{4}_\d\d: 20 rows copied\n[\s\S]*requests waited \d+ ms\n/,
    );
    lines.length = 0;
    await distribute(citus.coordinator.connection, (line) => lines.push(line));
    expect(lines).toEqual(distributedTables.map((table) => `${table}: distributed already`));
    // Learns of it by a statement that fails.
    await api.call('POST', 'alert/search', { query: 'late' });
    for (const world of worlds) {
      await until(() =>
        raiseAll(api.store, findings(world, 'late', 7)).then(
          () => true,
          () => false,
        ),
      );
      expect((await search(world, 'early OR late')).length).toBe(12);
      expect(new Set((await search(world, '*')).map(({ tenantId }) => tenantId))).toEqual(
        new Set([world.tenant.id]),
      );
    }
    expect(await verifyRollups(api.store)).toEqual([]);
  });

  it('has no faults that the doctor finds', async () => {
    const workers = citus.workers.map(({ connection }) => ({
      name: `${connection.host}:${connection.port}`,
      shards: 2,
    }));
    const cluster = await readCluster(citus.url);
    expect(cluster).toMatchObject({ version: expect.stringMatching(/^1\d/), faults: [] });
    expect(new Set(cluster?.workers)).toEqual(new Set(workers));
  });

  it('has the tenants of one worker in one group', async () => {
    for (const { tenant } of worlds) {
      const [row] = await citus.coordinator.ask(
        `select groupid from pg_dist_placement where shardid = get_shard_id_for_distribution_column('alert', ${tenant.id})`,
      );
      expect(groups.get(tenant.id)).toBe(row?.groupid);
    }
  });

  it('asks one worker for everything that a tenant asks for', async () => {
    const fanOuts = async () => (await citus.coordinator.fanOuts()).length;
    await citus.coordinator.ask('select count(*) from alert');
    const before = await fanOuts();
    expect(before).toBeGreaterThan(0);
    for (const world of worlds.slice(0, 2))
      await askAll(api, world, await api.token(world.tenant.id, 'tenant-manager'));
    expect((await citus.coordinator.fanOuts()).slice(before)).toEqual([]);
  });

  it('reads the same on the worker itself, where it stays prepared', async () => {
    const { tenant } = worlds[0]!;
    const statement = sql`select t.uid, t.tenant_id as "tenantId", t.timestamp, t.is_resolved as "isResolved", t.meta, t.tags,
        t.terms, t.retracted_at as "retractedAt", t.numeric_severity::numeric / 3 as share, 'it''s "quoted"' as text
      from alert t where t.tenant_id = ${tenant.id} and t.name = any(${['late', 'early']}) order by t.timestamp, t.uid`;
    const expected = await api.store.query(statement);
    expect(expected.length).toBe(12);
    const through = createStore(openPool(citus.coordinator.connection, () => {}));
    try {
      await through.isDistributed();
      for (const store of [api.store, through]) {
        const { query, prepared } = store.atTenant!(tenant.id);
        for (let n = 0; n < 3; n++) expect(await query(statement)).toEqual(expected);
        for (let n = 0; n < 8; n++) expect(await prepared(statement)).toEqual(expected);
        expect(
          await query(sql`select t.uid from alert t where t.tenant_id = ${tenant.id} and false`),
        ).toEqual([]);
      }
      const asked = (pattern: string) =>
        Promise.all(
          citus.workers.map((worker) =>
            worker.ask(`select from pg_stat_activity where query like '${pattern}'`),
          ),
        );
      expect((await asked(`SELECT%run_on_shard%''v%''%numeric / 3%`)).flat().length).toBeGreaterThan(0);
      expect((await asked('select q.*, shard.is_here%')).flat().length).toBeGreaterThan(0);
    } finally {
      await through.close();
    }
  });

  it('keeps totals of ended months by the roll-ups that the worker has', async () => {
    const { tenant, contract } = worlds[1]!;
    const now = Date.now();
    const timestamp = Date.UTC(2026, 2, 20);
    const late = findings(worlds[1]!, 'march', 6).map((finding) => ({ ...finding, timestamp }));
    await raiseAll(api.store, late);
    const scope = ownTenantsScope({ all: false, tenantIds: [tenant.id], organisationIds: [] });
    const db = atTenant(api.store, [tenant.id]);
    const compiled = await compileSearch(db, alertTable, scope, { query: 'message:number' }, now);
    const count = async () => {
      const total = await countExactly(db, alertTable, scope, compiled, { limit: 1_000_000, now });
      return [total, compiled.monthCounts?.get('2026_03')] as const;
    };
    const before = (await citus.coordinator.fanOuts()).length;
    const [total, march] = await count();
    expect([total, march?.count]).toEqual([(await search(worlds[1]!, 'message:number')).length, 6]);
    expect(await count()).toEqual([total, march]);
    const renewed = { tenantId: tenant.id, contractId: contract.id, timestamp };
    await api.store.transaction((tx) => renewRollups(tx, [renewed], now));
    const [again, other] = await count();
    expect([again, other?.count]).toEqual([total, 6]);
    expect(other?.version).not.toBe(march?.version);
    expect((await citus.coordinator.fanOuts()).slice(before)).toEqual([]);
  });

  it('finds alerts of a contract as long as the coordinator has it', async () => {
    const world = await createWorld(api);
    await raiseAll(api.store, findings(world, 'proven', 4));
    const token = await api.token(world.tenant.id, 'tenant-manager');
    const other = await api.token(worlds[0]!.tenant.id, 'tenant-manager');
    const bodies = [
      {},
      { query: 'message:proven' },
      { query: 'message:"2 of proven"' },
      { query: 'nothing' },
      { size: 0 },
      { size: 0, query: 'message:proven' },
    ];
    const path = `contract/${world.contract.id}/detector/alert/search`;
    const totals = async (as: string) =>
      Promise.all(bodies.map((body) => api.call('POST', path, body, { token: as })));
    expect((await totals(token)).map(({ status, body }) => [status, body.total])).toEqual([
      [200, 4],
      [200, 4],
      [200, 1],
      [200, 0],
      [200, 4],
      [200, 4],
    ]);
    const refused = bodies.map(() => 404);
    expect((await totals(other)).map(({ status }) => status)).toEqual(refused);
    const { connection } = citus.coordinator;
    const through = createStore(openPool(connection, () => {}));
    const pooled = openStore({ ...connection, isPooled: true }, () => {});
    const within = contractScope({ id: world.contract.id, tenantId: world.tenant.id }, 'detector');
    const found = new Set<string>();
    // Each more than once: what is repeated is prepared, on the worker or on the coordinator.
    for (const store of [api.store, through, pooled])
      for (let n = 0; n < 3; n++) {
        const search = { query: 'message:"2 of proven"' };
        const json = await searchJson(store, alertTable, within, search, ['uid', 'finality'], 0);
        found.add(json.toString());
      }
    expect([...found]).toEqual([
      expect.stringMatching(/^{"data":\[{"uid":".*","finality":"FINAL"}\],"total":1}$/),
    ]);
    await Promise.all([through.close(), pooled.close()]);
    await api.ok('DELETE', `contract/${world.contract.id}`, undefined, { token });
    expect((await totals(token)).map(({ status }) => status)).toEqual(refused);
  });

  it('asks no worker for what was moved to another, though its rows are still there', async () => {
    const { tenant } = worlds[0]!;
    const own = api.store.atTenant!(tenant.id);
    const count = async () =>
      (
        await own.query<{ count: number }>(sql`select count(*) from alert t where t.tenant_id = ${tenant.id}`)
      )[0]?.count;
    const before = Number(await count());
    expect(before).toBeGreaterThan(0);
    await moveTenant(tenant.id);
    await raiseAll(api.store, findings(worlds[0]!, 'moved', 3));
    expect(await count()).toBe(before + 3);
    await moveTenant(tenant.id);
    expect(await count()).toBe(before + 3);
  });

  it('does not move a shard away from under a transaction that has written to it', async () => {
    const { tenant } = worlds[0]!;
    await raiseAll(api.store, findings(worlds[0]!, 'held', 1));
    const [alert] = await search(worlds[0]!, 'name:held');
    const key = { tenantId: tenant.id, uid: String(alert!.uid), timestamp: Number(alert!.timestamp) };
    await api.store.transaction(async (tx) => {
      expect(await retractAlerts(tx, [key], 'DROPPED', 1)).toHaveLength(1);
      await expect(moveTenant(tenant.id, 'set lock_timeout = 500;')).rejects.toThrow('lock timeout');
    });
    await moveTenant(tenant.id);
    expect(await search(worlds[0]!, 'name:held')).toEqual([]);
    await moveTenant(tenant.id);
  });

  it.each([
    ['not known', async () => api.store.shardOf?.clear()],
    ['known', async () => {}],
    ['known again', failOnce],
  ])('holds shards from when it takes what waited, where they are %s', async (_, prepare) => {
    await prepare();
    const ids = worlds.map(({ tenant }) => tenant.id);
    const holds = await api.store.transaction(async (tx) => {
      const asked: string[] = [];
      const noted: typeof tx = {
        ...tx,
        prepared: (statement) => {
          asked.push(render(statement).text);
          return tx.prepared(statement);
        },
      };
      expect(await deleteGroupWrites(noted, [], ids)).toBe(0);
      const counted = sql`with counted as (select count(*) from alert) select count::text as shard_row from counted`;
      for (const items of [ids, ids.slice(0, 1)])
        await perShard(
          noted,
          items,
          (id) => id,
          () => counted,
        );
      await expect(moveTenant(ids[0], 'set lock_timeout = 500;')).rejects.toThrow('lock timeout');
      return asked.filter((text) => /hold_shards|lock_shard/.test(text));
    });
    expect(holds).toHaveLength(1);
  });

  /** As after a split, when a tenant's shard has another number. */
  async function failOnce(): Promise<void> {
    const [first] = worlds;
    api.store.shardOf?.set(first!.tenant.id, 1);
    await expect(
      api.store.transaction((tx) => deleteGroupWrites(tx, [], [first!.tenant.id])),
    ).rejects.toThrow('shard 1');
  }

  it('writes on when sessions of the coordinator send nothing to workers any more', async () => {
    const failing = sql`with part as materialized (select a.uid from alert a join alert b on a.uid = b.uid)
      select part.uid from part join alert using (uid)`;
    // Each leaves its session so.
    const failed = await Promise.allSettled(
      Array.from({ length: 3 }, () => api.store.transaction((tx) => tx.query(failing))),
    );
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const world = worlds[0]!;
    let attempts = 0;
    await api.store.transaction((tx) => {
      attempts++;
      return perShard<number, number>(
        tx,
        [world.tenant.id],
        (id) => id,
        () => sql`with counted as (select count(*) from alert) select count::text as shard_row from counted`,
      );
    });
    expect(attempts).toBeGreaterThan(1);
    await raiseAll(api.store, findings(world, 'unsent', 2));
    expect(await search(world, 'name:unsent')).toHaveLength(2);
  });

  it('writes to all shards of a worker by one call, whatever the texts and in which order tenants come', async () => {
    const shards = await api.store.query<{ shard: number; group: number; tenants: number[] }>(
      sql`select s.shardid as shard, p.groupid as "group", array_agg(id order by id) as tenants
        from generate_series(1, 100) id
        join pg_dist_shard s on s.logicalrelid = 'alert'::regclass
          and worker_hash(id::bigint) between s.shardminvalue::int and s.shardmaxvalue::int
        join pg_dist_placement p using (shardid) group by 1, 2`,
    );
    const [first, second] = shards.filter(({ group }) => group === shards[0]!.group);
    const other = shards.find(({ group }) => group !== shards[0]!.group);
    const tenants = [second, other, first, first].map((shard, n) => shard!.tenants[n]!);
    const numbered = Array.from({ length: 1_000 }, (_, n) => `\u001f${n};`).join('');
    const texts = ['\u001d', 'a\u001fb', `"\\ {\u001e}${numbered}`, ''];
    const asked: string[] = [];
    const rows = await api.store.transaction((tx) =>
      perShard<number, [number, string, string | null, string[]]>(
        {
          ...tx,
          prepared: (statement) => {
            asked.push(render(statement).text);
            return tx.prepared(statement);
          },
        },
        tenants,
        (id) => id,
        (own) => sql`with given as (
            select t.id, t.text from unnest(${own}::bigint[], ${own.map((id) => texts[tenants.indexOf(id)])}::text[]) t(id, text))
          select json_build_array(id, text, ${null}::text, ${texts}::text[])::text as shard_row from given`,
      ),
    );
    expect(rows.toSorted(([a], [b]) => a - b)).toEqual(
      tenants.map((id, n) => [id, texts[n], null, texts]).toSorted(([a], [b]) => Number(a) - Number(b)),
    );
    expect(asked.filter((text) => text.includes('run_on_shards('))).toHaveLength(2);
  });

  it('gets the functions that a cluster of an earlier version lacks with its migrations', async () => {
    await citus.coordinator.ask('drop function hold_shards, run_on_shards');
    expect((await readCluster(citus.url))?.faults).toEqual([
      'The function hold_shards is missing; run vigil migrate --citus again.',
      'The function run_on_shards is missing; run vigil migrate --citus again.',
    ]);
    await migrate(citus.coordinator.connection);
    expect((await readCluster(citus.url))?.faults).toEqual([]);
    await raiseAll(api.store, findings(worlds[1]!, 'functions', 2));
    expect(await search(worlds[1]!, 'name:functions')).toHaveLength(2);
  });

  /** Moves the tenant's shards to the other worker, and leaves the old ones, as Citus does until its maintenance removes them. */
  async function moveTenant(tenantId: number, before = ''): Promise<void> {
    const shard = `get_shard_id_for_distribution_column('alert', ${tenantId})`;
    const [from] =
      await citus.coordinator.ask(`select n.nodename as host, n.nodeport as port from pg_dist_placement p
      join pg_dist_node n on n.groupid = p.groupid where p.shardid = ${shard}`);
    const to = citus.workers.find(({ connection }) => connection.host !== from?.host)!.connection;
    await citus.coordinator.ask(`${before} select citus_move_shard_placement(${shard}, '${String(from?.host)}', ${String(from?.port)},
      '${to.host}', ${to.port}, 'block_writes')`);
  }

  it('commits alerts and what follows from them on both servers or on none', async () => {
    const client = openClient(citus.coordinator.connection);
    await client.connect();
    const notices: string[] = [];
    client.on('notice', ({ message }) => notices.push(String(message)));
    try {
      const { id } = worlds[0]!.tenant;
      await client.query('set citus.log_remote_commands = on');
      await client.query('begin');
      await client.query('update alert set is_resolved = is_resolved where tenant_id = $1', [id]);
      await client.query(
        `insert into alert_event (tenant_id, alert_uids, type, at) values (${id}, '{}', 'changed', 1)`,
      );
      await client.query('rollback');
      await client.query('begin');
      await client.query('update alert set is_resolved = is_resolved where tenant_id = $1', [id]);
      await client.query('update score_lane set holder = holder');
      await client.query('commit');
      expect(notices.filter((text) => text.startsWith('issuing PREPARE TRANSACTION'))).toHaveLength(1);
    } finally {
      await client.end();
    }
  });

  it('waits for what a worker has yet to commit', async () => {
    const { tenant, instance } = worlds[0]!;
    const { store } = api;
    const lane = { tenantId: tenant.id, instanceId: instance.id, holder: '' };
    const position = await lastAlertEvent(store);
    const [finding] = findings(worlds[0]!, 'prepared', 1);
    await raiseAll(store, [{ ...finding!, txHash: null }]);
    const [alert] = await search(worlds[0]!, 'name:prepared');
    const { uid, timestamp } = alert!;
    const key = { tenantId: tenant.id, uid, timestamp };
    await ensurePartitions(store, 'score_change', [timestamp]);
    await store.query(
      sql`insert into score_change (tenant_id, timestamp, license_instance_id, i, uid, index, type, organisation_id,
          license_id, project_id, alert_id, score, score_change, terms)
        values (${tenant.id}, ${timestamp}, ${instance.id}, 1, ${uid}::uuid, '', 'alert', 1, 1, 1, ${uid}::text, 1, 1, '{}')`,
    );
    const place = { txHash: '0xpending', tenantId: tenant.id, source: 'detector 1', place: '0' };
    const pending = {
      ...place,
      uid,
      timestamp,
      sender: '0x',
      nonce: 1,
      maxFee: '1',
      tip: null,
      needsTrace: false,
    };
    await insertPendingAlerts(store, 'anvil', [pending], 1);

    const whileHeld = <T>(table: 'alert' | 'score_change', read: () => Promise<T>) =>
      whilePrepared(citus, { tenantId: tenant.id, table, condition: `uid = '${uid}'` }, read);
    const events = await whileHeld('alert', () => readAlertEvents(store, everything, { after: position }, 1));
    expect(JSON.parse(events[0]?.alert ?? 'null')).toMatchObject({ uid });
    expect(await whileHeld('alert', () => findAlertDocuments(store, [key]))).toMatchObject([{ uid }]);
    const states = await whileHeld('alert', () => findIncidentStates(store, [key]));
    expect(states.get(uid)).toMatchObject({ uid, firstAt: timestamp, isOpen: true, isLone: true });
    const held = await whileHeld('alert', () =>
      store.transaction((tx) => holdPending(tx, 'anvil', ['0xpending'])),
    );
    expect(held).toMatchObject([{ uid, isRetracted: false }]);
    expect(await whileHeld('score_change', () => findUndoable(store, lane, key))).toMatchObject([{ uid }]);
    await whileHeld('score_change', () => store.transaction((tx) => queueRetractions(tx, [key], 1)));
    const queued = await store.query(
      sql`select type from score_work where tenant_id = ${tenant.id} and alert_uid = ${uid}::uuid`,
    );
    expect(queued).toEqual([{ type: 'retraction' }]);
    const retracted = await whileHeld('alert', () =>
      store.transaction((tx) => retractAlerts(tx, [key], 'DROPPED', 1)),
    );
    expect(retracted).toMatchObject([{ uid }]);
  });

  it('is reached by the address of any of its servers, from the first start on', async () => {
    const nodes = [citus.coordinator, ...citus.workers].map(({ connection }) => ({
      ...connection,
      database: 'second',
    }));
    const [coordinator, ...workers] = nodes;
    await createCitusDatabase(coordinator!, workers);
    await expect(migrate(workers[0]!)).rejects.toThrow(`its coordinator is ${coordinator!.host}:5432.`);
    const hosts = workers.map(({ host }) => encodeURIComponent(host));
    const data = workspace.folder('by worker');
    const env = { DATABASE_URL: `postgres://vigil@/second?host=${hosts[0]}` };
    const moved = await workspace.run(['migrate', '--citus'], data, env);
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining('alert: distributed') });
    const [tables] = await ask(
      workers[0]!,
      "select count(*)::int as local from pg_class where relname = 'tenant'",
    );
    expect(tables).toEqual({ local: 0 });
    const told = await workspace.run(['doctor'], data, env);
    expect(told.stdout).toMatch(
      /: PostgreSQL [\d.]+, worker of Citus, [\s\S]*: PostgreSQL [\d.]+, takes writes, [\s\S]*over 2 workers/,
    );
    // Everything works, but the loss of a machine would lose what it has.
    const missing = ['coordinator', 'worker 1', 'worker 2'].map(
      (name) => `Fault: No standby follows ${name} `,
    );
    for (const line of missing) expect(told.stdout).toContain(line);
    expect(told.stdout.match(/^Fault: /gm)).toHaveLength(missing.length);
    expect(told.stdout).not.toContain('Nothing is wrong');
    expect(told.code).toBe(1);
    const vigil = await workspace.serve(data, {
      DATABASE_URL: `postgres://vigil@/second?host=${hosts.toReversed().join()}`,
      VIGIL_ADMIN_TOKEN: 'token-of-an-administrator-by-worker',
    });
    const { detector } = await createWorld(vigil);
    const ending = new AbortController();
    const stream = await fetch(`${vigil.url}/api/v1/alert/stream`, {
      headers: { authorization: 'Bearer token-of-an-administrator-by-worker' },
      signal: ending.signal,
    });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    await vigil.ok('PUT', `detector/${detector.id}`, { source: 'EXTERNAL' });
    await vigil.ok('POST', `detector/${detector.id}/alert`, {
      alerts: [{ eid: 'by-worker', message: 'Seen through a worker' }],
    });
    let text = '';
    while (!text.includes('Seen through a worker')) text += (await reader.read()).value ?? '';
    ending.abort();
    const count = async () => (await vigil.ok('POST', 'alert/search', { query: 'message:worker' })).total;
    expect(await count()).toBe(1);

    // Only the workers know where the coordinator is now.
    await moveCoordinator(coordinator!, 5433);
    try {
      await until(() => count().catch(() => undefined));
      await vigil.ok('POST', `detector/${detector.id}/alert`, {
        alerts: [{ eid: 'moved', message: 'Seen through a worker after the move' }],
      });
      expect(await count()).toBe(2);
      expect(await vigil.stop()).toMatchObject({ code: 0 });
      expect((await workspace.run(['doctor'], data, env)).stdout).toContain(
        `${coordinator!.host}:5433: PostgreSQL`,
      );
    } finally {
      await moveCoordinator(coordinator!, 5432);
    }
  });

  /** As after a failover to another machine: the old address is gone, and the new coordinator tells its workers. */
  async function moveCoordinator(
    connection: typeof citus.coordinator.connection,
    port: number,
  ): Promise<void> {
    const { dataFolder, kill, start } = citus.coordinator;
    await kill();
    await appendFile(join(dataFolder, 'postgresql.conf'), `port = ${port}\n`);
    await start();
    await ask({ ...connection, port }, `select citus_set_coordinator_host('${connection.host}', ${port})`);
  }

  it('the doctor names a worker that hangs within seconds, and says what it cannot know of it', async () => {
    const data = workspace.folder('doctor');
    const ask = async () => {
      const startedAt = performance.now();
      const told = await workspace.run(['doctor'], data, { DATABASE_URL: citus.url });
      return { ...told, ms: performance.now() - startedAt };
    };
    const well = await ask();
    expect(well.stdout).toMatch(
      /\n {2}worker 1 \(.*:5432\): 2 shards of alerts, \d+ of \d+ connections, no standby\n/,
    );
    const [worker] = citus.workers;
    const name = `${worker!.connection.host}:5432`;
    const goOn = await worker!.hang();
    const hanging = await ask().finally(goOn);
    expect(hanging.stdout).toContain(`worker 1 (${name}): 2 shards of alerts, not reached\n`);
    expect(hanging.stdout).toContain(
      `Fault: Worker ${name} cannot be reached; its tenants get 503 and their findings wait until it is back.`,
    );
    expect(hanging.stdout).toContain(`Fault: Standbys of worker 1 (${name}) are unknown`);
    expect(hanging.code).toBe(1);
    console.log(`doctor: ${Math.round(well.ms)} ms, beside a worker that hangs ${Math.round(hanging.ms)} ms`);
    // On an idle machine within 5 s.
    expect(hanging.ms - well.ms).toBeLessThan(5000);
  });

  it('answers 503 for the tenants of a worker that died and serves the others, until it is back', async () => {
    const [lost, kept] = [1, 2].map((group) => worlds.find(({ tenant }) => groups.get(tenant.id) === group));
    if (!lost || !kept) throw new Error('All tenants are on one worker.');
    const ask = async ({ tenant }: World) =>
      api.call(
        'POST',
        'alert/search',
        { query: 'late' },
        { token: await api.token(tenant.id, 'tenant-manager') },
      );
    const before = [await search(lost, '*'), await search(kept, '*')];
    const [worker] = citus.workers;
    await worker!.kill();
    try {
      const answer = await ask(lost);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBeTruthy();
      await expect(raiseAll(api.store, findings(lost, 'down', 2))).rejects.toThrow('cannot be reached');
      expect((await ask(kept)).status).toBe(200);
      expect((await readCluster(citus.url))?.faults).toEqual([
        expect.stringMatching(/^Worker .* cannot be reached; its tenants get 503/),
      ]);
      await raiseAll(api.store, findings(kept, 'down', 2));
    } finally {
      await worker!.start();
    }
    await until(async () => (await ask(lost)).status === 200);
    expect(await search(lost, '*')).toEqual(before[0]);
    await raiseAll(api.store, findings(lost, 'down', 2));
    expect(await search(kept, '*')).toHaveLength(before[1]!.length + 2);
    expect(await verifyRollups(api.store)).toEqual([]);
    const [open] = await api.store.query<{ count: number }>(
      sql`select count(*) as count from pg_prepared_xacts`,
    );
    expect(open?.count).toBe(0);
  });
});
