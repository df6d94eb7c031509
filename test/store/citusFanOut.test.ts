import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Sql, sql } from '../../src/lib/sql.ts';
import { runHousekeeping } from '../../src/runtime/startHousekeeping.ts';
import { distributedTables } from '../../src/store/db/citus/distributedTables.ts';
import { onlyRow } from '../../src/store/db/db.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { alertTable } from '../../src/store/search/documents/alertTable.ts';
import { ownTenantsScope } from '../../src/store/search/documents/documentScopes.ts';
import { packRollups } from '../../src/store/search/months/packRollups.ts';
import { monthBase, verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { searchKeys } from '../../src/store/search/searchDocuments.ts';
import { dropOldWords } from '../../src/store/search/terms/alertWords.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { askAll } from '../support/askAll.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';
import { type Statement, statementsOf } from '../support/statementsOf.ts';

const missing = await whyNoCitus();
const dayMs = 86_400_000;

describe('what asks several workers', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let citus: Citus;
  let api: TestApi;
  let worlds: World[];
  let client: pg.Client;

  beforeAll(async () => {
    if (missing) return;
    workspace = await createWorkspace();
    citus = await startCitus(workspace.folder);
    const { connection } = citus.coordinator;
    await migrate(connection);
    await distribute(connection, () => {}, 4);
    api = await startTestApi({ database: { config: connection, drop: async () => {} } });
    worlds = [];
    for (let n = 0; n < 3; n++) worlds.push(await createWorld(api));
    for (const world of worlds) await raiseSome(world, Date.now());
    client = new pg.Client(connection);
    // Moving tables ends all sessions.
    client.on('error', () => {});
    await client.connect();
  });

  afterAll(async () => {
    await client?.end();
    await api?.stop();
    await workspace?.remove();
  });

  async function raiseSome(
    { tenant, project, contract, detector }: World,
    last: number,
    store = api.store,
    word = 'Number',
  ): Promise<void> {
    await raiseAll(
      store,
      Array.from({ length: 8 }, (_, n) => ({
        tenantId: tenant.id,
        projectId: project.id,
        contractId: contract.id,
        detectorId: detector.id,
        kind: 'detector',
        group: 'SECURITY',
        severity: n % 2 ? 'HIGH' : 'LOW',
        timestamp: last - 1000 * n,
        key: `${word} ${last} ${tenant.id} ${n}`,
        eid: `late-${n}`,
        name: 'late',
        message: `${word} ${n}`,
        meta: { amount: n, notes: [`note ${n}`, 'fine'], within: [{ text: `text ${n}` }] },
        tags: ['some'],
        txHash: `0x${n % 3}`,
      })),
    );
  }

  it('has workers group and limit what an administrator asks for over all tenants', async () => {
    const statements = await statementsOf(isOnAlerts, () => askAll(api, worlds[0]!));
    const kinds = new Map<string, number>();
    const unbounded: string[] = [];
    for (const statement of statements)
      for (const node of await remoteNodes(statement)) {
        kinds.set(node, (kinds.get(node) ?? 0) + 1);
        if (!/^(Limit|Aggregate)$/.test(node) && !bounded.some((each) => each.test(statement.text)))
          unbounded.push(`${node}: ${statement.text.replaceAll(/\s+/g, ' ')}`);
      }
    expect(unbounded).toEqual([]);
    // Searches and aggregations were among them.
    expect(kinds.get('Limit')).toBeGreaterThan(100);
    expect(kinds.get('Aggregate')).toBeGreaterThan(5);
  });

  it('answers aggregations of an administrator over all tenants, whatever their items match', async () => {
    const queries = [
      'meta.amount:>2',
      'meta.notes.keyword:"note 3"',
      'meta.within.text:[text TO texu]',
      'meta.within.text.keyword:["text 2" TO "text 5"]',
      'finality:HEAD',
      'message:/n.*r/',
    ];
    for (const field of ['severity', 'meta.notes.keyword', 'meta.amount', 'finality', 'tags'])
      for (const query of queries) {
        const own = { name: 'own', field: 'meta.amount', aggregation: ['count', 'cardinality'], query };
        const deeper = { name: 'deeper', field: 'txHash', aggregation: [own] };
        for (const items of [{ aggregation: [own] }, { aggregation: [deeper] }, { query }]) {
          const aggregation = [{ name: 'a', field, ...items }];
          for (const whole of [{}, { query }]) {
            const answer = await api.call('POST', 'alert/aggregation', { ...whole, aggregation });
            expect(answer.status, `${JSON.stringify({ ...whole, aggregation })}: ${answer.text}`).toBe(200);
          }
        }
      }
  });

  /** What the plans of several workers begin with, where Citus asks several for a statement or part of it. */
  async function remoteNodes({ text, values }: Statement): Promise<string[]> {
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>({
      text: `explain (format json, costs off) ${text}`,
      values,
    });
    return findJobs(rows[0]?.['QUERY PLAN']).flatMap(({ 'Task Count': count, Tasks: [task] }) =>
      count > 1 ? [task?.['Remote Plan'][0]?.[0]?.Plan['Node Type'] ?? 'unknown'] : [],
    );
  }

  it('is little of what keeps house, and deletes', async () => {
    const now = Date.now();
    const { store } = api;
    const count = async (rows: Sql) =>
      onlyRow(await store.query<{ count: number }>(sql`select count(*) as count from ${rows}`)).count;
    const kept = await count(sql`alert`);
    for (const world of worlds) {
      await raiseSome(world, now - 400 * dayMs);
      const { id } = world.tenant;
      await citus.coordinator.ask(
        `insert into delivery_message (tenant_id, created_at, data) values (${id}, ${now - 8 * dayMs}, '{}')`,
      );
    }
    const before = (await citus.coordinator.fanOuts()).length;
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    const chains = { isConfigured: () => false, client: () => undefined };
    await runHousekeeping(
      { store, chains, hsm: undefined, retentionDays: 90, now: () => now, log },
      new AbortController().signal,
    );
    expect(warnings).toEqual([]);
    const fanOuts = (await citus.coordinator.fanOuts()).slice(before);
    expect(await count(sql`delivery_message where created_at < ${now - 7 * dayMs}`)).toBe(0);
    expect(await count(sql`delivery_archive`)).toBe(worlds.length);
    expect(await count(sql`alert`)).toBe(kept);
    expect(new Set(fanOuts)).toEqual(
      new Set([
        'delete from delivery_archive where created_at < $1',
        'delete from alert_rollup where day < $1 or (day >= $2 and day < $3)',
        'delete from incident where last_at < $1',
      ]),
    );
  });

  it('is not the dictionary of words, which tenants have beside their alerts', async () => {
    const pattern = { query: 'message:/numb.*/', size: 100 };
    const search = async () => (await api.ok('POST', 'alert/search', pattern)).data.length;
    expect(await citus.coordinator.ask(`select pg_relation_size('alert_word')::int as bytes`)).toEqual([
      { bytes: 0 },
    ]);
    expect(await search()).toBe(8 * worlds.length);
  });

  it('is as before where a newer table has yet to be distributed', async () => {
    const { connection } = citus.coordinator;
    for (const table of ['alert_word_field', 'alert_word', 'delivery_archive'])
      await citus.coordinator.ask(`select undistribute_table('${table}')`);
    const upgraded = openStore(connection, () => {});
    try {
      const own = ownTenantsScope({
        all: false,
        tenantIds: [worlds[0]!.tenant.id],
        organisationIds: [],
      });
      const found = async (query: string) =>
        (await searchKeys(upgraded, alertTable, own, { query, size: 100 }, Date.now())).length;
      const before = await found('message:/numb.*/');
      await raiseSome(worlds[0]!, Date.now() - 200_000, upgraded);
      await raiseSome(worlds[0]!, Date.now() - 200_000, upgraded, 'local');
      expect(await found('message:/numb.*/')).toBe(before + 8);
      expect(await found('message:/loca.*/')).toBe(8);
      await distribute(connection, () => {}, 4);
      // Learns of it by a statement that fails.
      await until(() =>
        raiseSome(worlds[0]!, Date.now() - 300_000, upgraded, 'distributed').then(
          () => true,
          () => false,
        ),
      );
      expect(await found('message:/loca.*/')).toBe(8);
      expect(await found('message:/distr.*/')).toBe(8);
    } finally {
      await upgraded.close();
    }
  });

  it('is not what packs the roll-ups of ended months, shard by shard', async () => {
    const { store } = api;
    const last = Date.UTC(2026, 0, 20);
    for (const world of worlds) await raiseSome(world, last);
    const before = (await citus.coordinator.fanOuts()).length;
    await packRollups(store, Date.now(), new AbortController().signal);
    await store.query(sql`delete from rebuilt_month`);
    await packRollups(store, Date.now(), new AbortController().signal);
    expect((await citus.coordinator.fanOuts()).slice(before)).toEqual([]);
    const january = await store.query<{ day: number }>(
      sql`select day from alert_rollup where day = ${monthBase + Date.UTC(2026, 0) / dayMs} or day = ${Math.floor(last / dayMs)}`,
    );
    expect(january.filter(({ day }) => day >= monthBase)).toHaveLength(2 * worlds.length);
    expect(january).toHaveLength(2 * worlds.length);
    expect(await verifyRollups(store)).toEqual([]);
  });

  it('is not what drops old words, shard by shard', async () => {
    const { store } = api;
    const [newest] = await store.query<{ month: number }>(sql`select max(month) as month from alert_word`);
    const before = (await citus.coordinator.fanOuts()).length;
    await dropOldWords(store, Date.UTC(1970, Number(newest?.month) + 1));
    expect((await citus.coordinator.fanOuts()).slice(before)).toEqual([]);
    expect(await store.query(sql`select 1 from alert_word`)).toEqual([]);
    expect(await store.query(sql`select 1 from alert_word_field where words <> 0`)).toEqual([]);
  });
});

const isOnAlerts = new RegExp(`\\b(from|join|into|update)\\s+(${distributedTables.join('|')})\\b`, 'i');

/** What returns few rows without a limit: one by its uid, or those whose keys were found with a limit. */
const bounded = [
  /\bt\.uid = \$\d+::uuid\b/,
  /\bjoin \(select t\.tenant_id, t\.timestamp, t\.uid from alert t where .* limit \$\d+ offset \$\d+\) k\b/s,
];

type Plan = { Plan: { 'Node Type': string } };
type Job = { 'Task Count': number; Tasks: { 'Remote Plan': Plan[][] }[] };

function findJobs(plan: unknown): Job[] {
  if (typeof plan !== 'object' || plan === null) return [];
  return Object.entries(plan).flatMap(([name, part]) => [
    ...(name === 'Job' ? [part as Job] : []),
    ...findJobs(part),
  ]);
}
