import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openStore, type PoolConfig } from '../src/store/db.ts';
import { startEmbedded } from '../src/store/embedded/startEmbedded.ts';
import { migrate } from '../src/store/migrate.ts';
import { familyTable } from './support/familyRow.ts';
import { machine } from './support/machine.ts';
import { measureFamilies } from './support/measureFamilies.ts';
import { measurePending } from './support/measurePending.ts';
import { reportProgress } from './support/reportProgress.ts';
import { seedDetectors } from './support/seedDetectors.ts';
import type { Served } from './support/serveChain.ts';
import type { Figures, WatchOrder } from './support/watchOnce.ts';

/** Blocks to catch up with, and blocks that then come one by one. */
const behind = 200;
const live = 80;
const everyMs = 250;
const sizes = [10, 1000, 10_000, 100_000];

const folder = join(tmpdir(), `vigil-bench-${randomUUID()}`);
const embedded = await startEmbedded({ dataDir: folder, log: () => {} });
const chain = start('serveChain');
try {
  if (process.argv[3] !== 'pending') await measureBlocks();
  reportProgress('Pending transactions');
  printPending(await measurePending(await createDatabase('watch_pending')));
} finally {
  chain.kill();
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureBlocks(): Promise<void> {
  reportProgress('Making blocks');
  chain.send({ seed: 7, behind, live });
  const [served]: [Served] = (await once(chain, 'message')) as [Served];
  const rows: string[] = [];
  reportProgress('Fetching and parsing alone');
  const fetched = await fetchAlone(served);
  for (const detectors of sizes) rows.push(await measure(served, detectors, fetched));
  reportProgress('Blocks of other families');
  print(fetched, rows, await measureFamilies());
}

function start(name: string): ChildProcess {
  return fork(fileURLToPath(new URL(`./support/${name}.js`, import.meta.url)));
}

async function fetchAlone(served: Served): Promise<number> {
  const child = start('fetchOnce');
  child.send({ url: served.url, blocks: behind });
  const [{ blocksPerSecond }] = (await once(child, 'message')) as [{ blocksPerSecond: number }];
  return blocksPerSecond;
}

async function measure(served: Served, detectors: number, fetched: number): Promise<string> {
  reportProgress(`${detectors.toLocaleString('en')} detectors`);
  const connection = await createDatabase(`watch_${detectors}`);
  const store = openStore(connection, () => {});
  await seedDetectors(store, detectors, served.hits);
  const child = start('watchOnce');
  const order: WatchOrder = { connection, urls: [served.url, served.wsUrl], detectors, behind, live };
  chain.send('rewind');
  await once(chain, 'message');
  child.send(order);
  await once(child, 'message');
  const released: number[] = [];
  for (let n = 0; n < live; n++) {
    chain.send('next');
    released.push(Date.now());
    await sleep(everyMs);
  }
  child.send({ released });
  const [figures]: [Figures] = (await once(child, 'message')) as [Figures];
  const [{ count } = { count: 0 }] = await store.query<{ count: number }>({
    strings: ['select count(*) as count from alert'],
    values: [],
  });
  await store.close();
  const expected = (behind + live) * served.hits.length;
  if (count !== expected) throw new Error(`There are ${count} alerts, and ${expected} were due.`);
  return row(detectors, figures, fetched);
}

async function createDatabase(name: string): Promise<PoolConfig> {
  const admin = openStore(embedded.connection, () => {});
  await admin.query({ strings: [`create database ${name}`], values: [] });
  await admin.close();
  const connection = { ...embedded.connection, database: name };
  await migrate(connection);
  return connection;
}

function row(detectors: number, figures: Figures, fetched: number): string {
  const { blocksPerSecond, cpuMsPerBlock, rssMb, callsPerBlock, p50Ms, p99Ms, naiveMsPerBlock, loadMs } =
    figures;
  return `| ${detectors.toLocaleString('en')} | ${blocksPerSecond.toFixed(0)} | ${(blocksPerSecond / fetched).toFixed(2)} | ${cpuMsPerBlock.toFixed(1)} | ${rssMb.toFixed(0)} | ${callsPerBlock.toFixed(2)} | ${p50Ms.toFixed(0)} | ${p99Ms.toFixed(0)} | ${naiveMsPerBlock.toFixed(1)} | ${loadMs.toFixed(0)} |`;
}

function print(fetched: number, rows: readonly string[], others: readonly string[]): void {
  console.log(
    [
      '',
      `${machine()}. Blocks of 180 transactions and 450 logs from a node on loopback, five alerts a block; node, Vigil and PostgreSQL share the machine. Merely fetching and parsing the same blocks: ${fetched.toFixed(0)} blocks/s.`,
      '',
      '| detectors | blocks/s | of fetching alone | CPU ms a block | memory MB | RPC calls a block | block to stored alert p50 ms | p99 ms | plain loop over all, ms a block | reading the list, ms |',
      '|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
      ...rows,
      '',
      ...familyTable(others),
    ].join('\n'),
  );
}

function printPending(rows: readonly string[]): void {
  console.log(
    [
      '',
      `${machine()}. A pool on loopback for 20 s with 10,000 detectors that look at it, four blocks a second as above, and ten attacks a second, each of which drains a vault and fires an action (in ms):`,
      '',
      '| pending tx/s | filtered tx/s | pending to stored alert p50 | p99 | alert to sent call p50 | p99 | pending to sent call p50 | p99 | block to stored alert p50 | p99 | CPU, % of a core | memory MB |',
      '|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
      ...rows,
    ].join('\n'),
  );
}
