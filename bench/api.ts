import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { migrate } from '../src/store/db/migrate.ts';
import { openPool } from '../src/store/db/openPool.ts';
import { createStore } from '../src/store/db/openStore.ts';
import { startWithSuperuser } from '../testing/startWithSuperuser.ts';
import { startBareServer } from './support/bareServer.ts';
import { type Case, createCases } from './support/cases.ts';
import { type Comparison, compare } from './support/compare.ts';
import { createVigil } from './support/createVigil.ts';
import { measureStart } from './support/measureStart.ts';
import { recordStatements } from './support/recordStatements.ts';
import { reportProgress } from './support/reportProgress.ts';
import { seed, sizes } from './support/seed.ts';
import { splitPage } from './support/splitPage.ts';
import { startLoad } from './support/startLoad.ts';
import { type Report, toMarkdown } from './support/toMarkdown.ts';

const idleMs = 10_000;
const folder = join(tmpdir(), `vigil-bench-${randomUUID()}`);
try {
  await mkdir(folder);
  const measured = await onDatabase(`${folder}/a`, measure);
  reportProgress('Starting Vigil alone');
  const start = await measureStart(`${folder}/b`, idleMs);
  console.log(toMarkdown({ ...measured, start }));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function onDatabase<T>(dataDir: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const embedded = await startWithSuperuser({ dataDir });
  try {
    await migrate(embedded.connection);
    // A broken connection is reported to its user.
    const pool = openPool(embedded.connection, () => {});
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  } finally {
    await embedded.stop();
  }
}

async function measure(pool: pg.Pool): Promise<Omit<Report, 'start'>> {
  const store = createStore(pool);
  reportProgress('Writing records');
  const tenants = await seed(pool, store);
  const recording = recordStatements(store);
  const recorder = await createVigil(recording.store, store);
  const cases = await createCases(recorder, recording.take, tenants);
  const bare = await startBareServer(
    pool,
    Object.values(cases).flatMap(({ routes }) => routes),
  );
  const vigil = await createVigil(store, store);
  const url = await vigil.listen({ host: '127.0.0.1', port: 0 });
  const ports = { ours: Number(new URL(url).port), bare: Number(new URL(bare.url).port) };
  const load = startLoad();
  try {
    const comparisons = await compareAll(cases, (one) => compare(load.run, ports, one));
    reportProgress('Taking a page apart');
    const split = await splitPage(pool, cases.page.routes[0]!.recording, async (server) => {
      const tally = await load.run({ port: ports[server], shots: cases.page[server].slice(0, 1), ms: 400 });
      return tally.p50Ms;
    });
    const version = await pool.query<{ server_version: string }>('show server_version');
    return {
      postgresVersion: version.rows[0]!.server_version,
      data: `${sizes.large.toLocaleString('en')} contracts and wallets in one tenant, ${sizes.small.toLocaleString('en')} in each of ${sizes.tenants - 1} others.`,
      comparisons,
      split,
    };
  } finally {
    load.stop();
    await vigil.close();
    await bare.close();
    await recorder.close();
  }
}

async function compareAll<Key extends string>(
  cases: Record<Key, Case>,
  run: (one: Case) => Promise<Comparison>,
): Promise<Record<Key, Comparison>> {
  const entries: [string, Comparison][] = [];
  for (const [key, one] of Object.entries<Case>(cases)) {
    reportProgress(`Measuring: ${one.name}`);
    entries.push([key, await run(one)]);
  }
  return Object.fromEntries(entries) as Record<Key, Comparison>;
}

/** Progress goes beside the tables, which can be piped into a file. */
