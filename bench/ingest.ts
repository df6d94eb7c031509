import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareRaise, raiseAlerts } from '../src/alerts/raiseAlerts.ts';
import { sql } from '../src/lib/sql.ts';
import type { Finding } from '../src/model/alert.ts';
import type { Store } from '../src/store/db/db.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { openPool } from '../src/store/db/openPool.ts';
import { createStore } from '../src/store/db/openStore.ts';
import { startWithSuperuser } from '../testing/startWithSuperuser.ts';
import { machine } from './support/machine.ts';
import { readPostgresCpu } from './support/readPostgresCpu.ts';
import { reportProgress } from './support/reportProgress.ts';
import { createAlertWorld, fillAlerts, seedContracts } from './support/seedAlerts.ts';

/** Fills a month as if a million alerts came in a year; `npm run bench:ingest -- 20000` only begins it. */
const count = Number(process.argv[3] ?? 40_000);
const perYear = 1_000_000;
const batchSize = 100;
const batches = 60;
const rounds = 3;
const folder = process.env.VIGIL_BENCH_DATA ?? join(tmpdir(), `vigil-bench-${randomUUID()}`);
const embedded = await startWithSuperuser({ dataDir: folder });
const cleanUp = async () => {
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
try {
  await migrate(embedded.connection);
  const pool = openPool({ ...embedded.connection, statement_timeout: 0 }, () => {});
  const store = createStore(pool);
  const world = createAlertWorld(Date.UTC(2026, 10, 1), perYear, 0);
  await seedContracts(store);
  await fillAlerts(store, world, count, reportProgress);
  console.log(`${count.toLocaleString('en')} alerts of a month. ${machine()}.\n`);
  await printBytes(store);
  const ofLane = (lane: number) => ({
    ...world.nextFinding(),
    tenantId: lane + 1,
    contractId: lane + 1,
    projectId: lane + 1,
  });
  const lanes: [string, number, (lane: number) => Finding][] = [
    ['one lane', 1, () => world.nextFinding()],
    ['four lanes, a contract each', 4, ofLane],
    ['four lanes on one contract', 4, () => ofLane(0)],
  ];
  console.log(`
| batches of ${batchSize}, durable | alerts a second | node µs an alert | PostgreSQL µs | log bytes |
|---|--:|--:|--:|--:|`);
  for (const [name, width, next] of lanes) {
    const all: Ingest[] = [];
    for (let round = 0; round < rounds; round++) all.push(await ingest(store, width, next));
    const median = (figure: keyof Ingest) => all.map((one) => one[figure]).toSorted((a, b) => a - b)[1]!;
    const figures = (['perSecond', 'nodeUs', 'postgresUs', 'logBytes'] as const).map((figure) =>
      Math.round(median(figure)).toLocaleString('en'),
    );
    console.log(`| ${name} | ${figures.join(' | ')} |`);
  }
  await pool.end();
} finally {
  await cleanUp();
}

type Ingest = { perSecond: number; nodeUs: number; postgresUs: number; logBytes: number };

async function ingest(store: Store, lanes: number, next: (lane: number) => Finding): Promise<Ingest> {
  const work = Array.from({ length: lanes }, (_, lane) =>
    Array.from({ length: batches / lanes }, () => Array.from({ length: batchSize }, () => next(lane))),
  );
  const before = await readUsage(store);
  await Promise.all(
    work.map(async (lane) => {
      for (const findings of lane) {
        await prepareRaise(store, findings);
        await store.transaction((tx) => raiseAlerts(tx, findings));
      }
    }),
  );
  const after = await readUsage(store);
  const per = (figure: keyof typeof before) => (after[figure] - before[figure]) / (batches * batchSize);
  return {
    perSecond: 1e6 / per('us'),
    nodeUs: per('nodeUs'),
    postgresUs: per('postgresUs'),
    logBytes: per('log'),
  };
}

async function readUsage(store: Store) {
  const { user, system } = process.cpuUsage();
  const rows = await store.query<{ log: number }>(
    sql`select (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint as log`,
  );
  return {
    us: performance.now() * 1000,
    nodeUs: user + system,
    postgresUs: await readPostgresCpu(embedded.dataFolder),
    log: rows[0]!.log,
  };
}

/** By table and index; partitions count as one. */
async function printBytes(store: Store): Promise<void> {
  await store.query(sql`vacuum`);
  const rows = await store.query<{ name: string; bytes: number }>(
    sql`select regexp_replace(coalesce(t.relname || ' (large values)', c.relname), '_\d{4}_\d\d', '') as name,
        sum(pg_relation_size(c.oid))::float8 as bytes
      from pg_class c left join pg_class t on t.reltoastrelid = c.oid
      where c.relkind in ('r', 'i', 't') and c.relnamespace in (current_schema()::regnamespace, 'pg_toast'::regnamespace)
      group by 1 having sum(pg_relation_size(c.oid)) >= ${count} order by 2 desc`,
  );
  console.log('| table or index | bytes an alert |\n|---|--:|');
  for (const { name, bytes } of rows) console.log(`| ${name} | ${Math.round(bytes / count)} |`);
}
