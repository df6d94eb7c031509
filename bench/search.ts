import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareRaise, raiseAlerts } from '../src/alerts/raiseAlerts.ts';
import { sql } from '../src/lib/sql.ts';
import { issueToken } from '../src/services/accounts/issueToken.ts';
import type { Store } from '../src/store/db/db.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { openPool } from '../src/store/db/openPool.ts';
import { createStore } from '../src/store/db/openStore.ts';
import { packRollups } from '../src/store/search/months/packRollups.ts';
import { rebuildIndexes } from '../src/store/search/months/rebuildIndexes.ts';
import { startWithSuperuser } from '../testing/startWithSuperuser.ts';
import { ask } from './support/ask.ts';
import { createVigil } from './support/createVigil.ts';
import { machine } from './support/machine.ts';
import { reportProgress } from './support/reportProgress.ts';
import { createSearchCases, type SearchCase } from './support/searchCases.ts';
import { type AlertWorld, createAlertWorld, fillAlerts, seedContracts } from './support/seedAlerts.ts';

/** `npm run bench:search` takes 200,000 alerts; `npm run bench:search -- 5000000` the full five million. */
const count = Number(process.argv[3] ?? 200_000);
/** `npm run bench:search -- 50000 matched` measures what `matched` costs, and nothing else. */
const isMatchedAlone = process.argv[4] === 'matched';
const repeats = 25;
const warmUps = 6;
/** A folder whose database is filled once and kept, so that one change after another can be measured on it. */
const kept = process.env.VIGIL_BENCH_DATA;
const folder = kept ?? join(tmpdir(), `vigil-bench-${randomUUID()}`);
const embedded = await startWithSuperuser({ dataDir: folder });
const cleanUp = async () => {
  await embedded.stop();
  if (!kept) await rm(folder, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
try {
  await migrate(embedded.connection);
  const pool = openPool(embedded.connection, () => {});
  const store = createStore(pool);
  const stored = (await store.query<{ count: number }>(sql`select count(*) as count from alert`))[0]!.count;
  const world = createAlertWorld(Date.UTC(2026, 10, 15), count, stored);
  if (stored === 0) {
    await seedContracts(store);
    await fillAlerts(store, world, count, reportProgress);
    reportProgress('Vacuuming');
    // Of millions of rows it takes longer than any request may.
    const patient = openPool({ ...embedded.connection, statement_timeout: 0 }, () => {});
    await patient.query('vacuum analyze');
    await patient.end();
  }
  await measure(store, world, Math.max(count, stored));
  await pool.end();
} finally {
  await cleanUp();
}

async function measure(store: Store, world: AlertWorld, alerts: number): Promise<void> {
  const server = await createVigil(store, store);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const made = {
    kind: 'API_KEY',
    tenantId: world.hot.tenantId,
    userId: null,
    label: null,
    expiredAt: null,
  } as const;
  const own = await issueToken(store, { ...made, roles: ['tenant-viewer'] }, Date.now());
  const admin = await issueToken(
    store,
    { ...made, kind: 'ADMIN', tenantId: null, roles: ['admin'] },
    Date.now(),
  );
  console.log(
    `${alerts.toLocaleString('en')} alerts, 50 tenants, 2,000 contracts, 12 months. ${machine()}.\n`,
  );
  console.log(
    '| question | Vigil p50 ms | p95 ms | SQL p50 ms | p95 ms | within 1.5 × + 2 ms |\n|---|--:|--:|--:|--:|---|',
  );
  const tokenFor = ({ path }: SearchCase) =>
    path.startsWith(`contract/${world.rare.contractId}/`) ? admin.token : own.token;
  const cases = createSearchCases(world);
  // A server that has been up for a while is what people ask.
  reportProgress('Warming up');
  for (let n = 0; n < warmUps; n++)
    for (const one of cases) await ask(`${url}/api/v1/${one.path}`, tokenFor(one), one.body);
  for (const one of isMatchedAlone ? [] : cases) {
    reportProgress(one.name);
    console.log(await compare(store, url, tokenFor(one), one));
  }
  await measureMatched(url, own.token, cases);
  await server.close();
  if (isMatchedAlone) return;
  const pushed = await measureIngest(store, world);
  await measureBytes(store, world, alerts + pushed);
}

/** What `matched` adds to a page: the same question without and with it, in turns. */
async function measureMatched(url: string, token: string, cases: readonly SearchCase[]): Promise<void> {
  console.log('\n| with `matched` | rows | without p50 ms | with p50 ms | p95 ms |\n|---|--:|--:|--:|--:|');
  for (const { name, path, body } of cases.filter((one) => explained.has(one.name)))
    for (const size of [10, 200]) {
      reportProgress(`matched: ${name}`);
      const [plain, explaining]: [number[], number[]] = [[], []];
      for (let n = 0; n < repeats + 3; n++)
        for (const [times, matched] of [
          [plain, false],
          [explaining, true],
        ] as const) {
          const startedAt = performance.now();
          await ask(`${url}/api/v1/${path}`, token, { ...(body as object), size, matched });
          if (n >= 3) times.push(performance.now() - startedAt);
        }
      const figures = [at(plain, 0.5), at(explaining, 0.5), at(explaining, 0.95)].map((ms) => ms.toFixed(1));
      console.log(`| ${name} | ${size} | ${figures.join(' | ')} |`);
    }
}

const explained: ReadonlySet<string> = new Set([
  'common word',
  'rarer word',
  'phrase',
  'wildcard',
  'meta term',
]);

async function compare(store: Store, url: string, token: string, one: SearchCase): Promise<string> {
  const ours: number[] = [];
  const bare: number[] = [];
  const statement = { strings: splitValues(one.sql), values: orderValues(one.sql, one.values) };
  for (let n = 0; n < repeats + 3; n++) {
    const startedAt = performance.now();
    await ask(`${url}/api/v1/${one.path}`, token, one.body);
    const between = performance.now();
    JSON.stringify(await store.query(statement));
    // The first rounds warm up caches and plans of both.
    if (n >= 3) {
      ours.push(between - startedAt);
      bare.push(performance.now() - between);
    }
  }
  const [ours50, ours95, bare50, bare95] = [at(ours, 0.5), at(ours, 0.95), at(bare, 0.5), at(bare, 0.95)];
  const verdict = ours50 <= 1.5 * bare50 + 2 ? 'yes' : '**no**';
  return `| ${one.name} | ${ours50.toFixed(1)} | ${ours95.toFixed(1)} | ${bare50.toFixed(1)} | ${bare95.toFixed(1)} | ${verdict} |`;
}

/** $1, $2 … of hand-written SQL as a fragment of ours. */
function splitValues(text: string): string[] {
  return text.split(/\$\d+/);
}

function orderValues(text: string, values: readonly unknown[]): unknown[] {
  return Array.from(text.matchAll(/\$(\d+)/g), ([, n]) => values[Number(n) - 1]);
}

function at(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)]!;
}

/** Batches of 100 with every index, one after the other over one connection; terms are sorted in beside them. */
async function measureIngest(store: Store, world: AlertWorld): Promise<number> {
  reportProgress('Ingest');
  const times: number[] = [];
  for (let n = 0; n < 200; n++) {
    const findings = Array.from({ length: 100 }, () => world.nextFinding());
    const startedAt = performance.now();
    await prepareRaise(store, findings);
    await store.transaction((tx) => raiseAlerts(tx, findings));
    times.push(performance.now() - startedAt);
  }
  const perSecond = (times.length * 100) / (times.reduce((sum, ms) => sum + ms, 0) / 1000);
  console.log(`
| ingest in batches of 100, one at a time | goal | measured |
|---|--:|--:|
| alerts per second | ≥ 5,000 | ${Math.round(perSecond).toLocaleString('en')} |
| p99 of a batch, ms | ≤ 60 | ${at(times, 0.99).toFixed(1)} |`);
  return times.length * 100;
}

/** What alerts take as they came, and after what is done once when their months have ended. */
async function measureBytes(store: Store, world: AlertWorld, alerts: number): Promise<void> {
  const came = await readBytes(store, alerts);
  reportProgress('Packing roll-ups and building indexes again');
  const { signal } = new AbortController();
  await packRollups(store, world.end, signal);
  await rebuildIndexes(store, { now: world.end }, signal);
  const ended = await readBytes(store, alerts);
  const row = (name: string, part: keyof typeof came, goal = '') =>
    `| ${name} | ${goal} | ${came[part]} | ${ended[part]} |`;
  console.log(`
| bytes per alert | goal | as they came | when their months have ended |
|---|--:|--:|--:|
${row('alerts with indexes', 'alerts')}
${row('roll-ups', 'rollups')}
${row('dictionary', 'words')}
${row('all that is kept', 'all', '≤ 1,000')}`);
}

async function readBytes(store: Store, alerts: number) {
  const [sizes] = await store.query<{ alerts: number; rollups: number; words: number }>(
    sql`select sum(pg_total_relation_size(inhrelid))::float8 as alerts,
        pg_total_relation_size('alert_rollup')::float8 as rollups,
        (pg_total_relation_size('alert_word') + pg_total_relation_size('alert_word_field'))::float8 as words
      from pg_inherits where inhparent = 'alert'::regclass`,
  );
  const per = (bytes: number) => Math.round(bytes / alerts);
  const { alerts: own, rollups, words } = sizes!;
  return { alerts: per(own), rollups: per(rollups), words: per(words), all: per(own + rollups + words) };
}
