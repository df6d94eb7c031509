import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '../src/store/db/migrate.ts';
import type { Connection } from '../src/store/db/openClient.ts';
import { openStore } from '../src/store/db/openStore.ts';
import { startWithSuperuser } from '../testing/startWithSuperuser.ts';
import { familyTable } from './support/familyRow.ts';
import { machine } from './support/machine.ts';
import { measureFamilies } from './support/measureFamilies.ts';
import { measureLargeTrace } from './support/measureLargeTrace.ts';
import { measurePending } from './support/measurePending.ts';
import { measureProcesses } from './support/measureProcesses.ts';
import { reportProgress } from './support/reportProgress.ts';
import { seedDetectors } from './support/seedDetectors.ts';
import type { Served } from './support/serveChain.ts';
import type { Figures, WatchOrder } from './support/watchOnce.ts';

/** Blocks to catch up with, and blocks that then come one by one. */
const behind = 200;
const live = 80;
const everyMs = 250;
const sizes = [10, 1000, 10_000, 100_000];
let databases = 0;
/** `npm run bench:watch -- traces` and `-- pending` measure these alone, `-- processes 100000 8 2` four processes over 8 chains, of which 2 are restarted. */
const only = process.argv[3];

const folder = join(tmpdir(), `vigil-bench-${randomUUID()}`);
// Four processes open up to 51 connections each.
const embedded = await startWithSuperuser({
  dataDir: folder,
  settings: { max_connections: '300' },
});
const chain = start('serveChain');
try {
  if (only === 'processes') {
    const [detectors = 100_000, chains = 32, restarts = 4] = process.argv.slice(4).map(Number);
    const size = { detectors, chains, restarts };
    const rows = await measureProcesses(await createDatabase('watch_processes'), size);
    console.log(['', `${machine()}. Nodes, Vigil and PostgreSQL share the machine.`, '', ...rows].join('\n'));
  } else if (only !== 'pending') await measureChain();
  if (only === undefined || only === 'pending') {
    reportProgress('Pending transactions');
    printPending(await measurePending(await createDatabase('watch_pending')));
  }
} finally {
  chain.kill();
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureChain(): Promise<void> {
  reportProgress('Making blocks');
  chain.send({ seed: 7, behind, live });
  const [served]: [Served] = (await once(chain, 'message')) as [Served];
  if (only !== 'traces') await measureBlocks(served);
  await measureTraces(served);
}

async function measureBlocks(served: Served): Promise<void> {
  const rows: string[] = [];
  reportProgress('Fetching and parsing alone');
  const fetched = await fetchAlone(served);
  for (const detectors of sizes) {
    reportProgress(`${detectors.toLocaleString('en')} detectors`);
    rows.push(row(detectors, await measure(served, { detectors, alerts: served.hits.length }), fetched));
  }
  reportProgress('Blocks of other families');
  print(fetched, rows, await measureFamilies());
}

/** The same blocks for detectors that see only traces, with them and without. */
async function measureTraces(served: Served): Promise<void> {
  const detector = { name: 'reentrancy', config: {} };
  const alerts = served.hits.length;
  const rows: string[] = [];
  for (const [detectors, traces] of [
    [10, 'off'],
    [10, 'auto'],
    [10_000, 'off'],
    [10_000, 'auto'],
  ] as const) {
    reportProgress(`${detectors.toLocaleString('en')} detectors, traces ${traces}`);
    const seen = traces === 'auto' ? { alerts, traced: alerts } : { alerts: 0 };
    rows.push(traceRow(detectors, traces, await measure(served, { detectors, detector, traces, ...seen })));
  }
  printTraces(await parseAlone(served), rows);
  reportProgress('An enormous trace');
  printLargeTrace(await measureLargeTrace());
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

/** Processor time and bytes of merely asking for the traces of blocks and parsing them. */
async function parseAlone({ url }: Served): Promise<{ cpuMs: number; megabytes: number; frames: number }> {
  const ask = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return reply.text();
  };
  const blocks = 50;
  let bytes = 0;
  let frames = 0;
  const hashes: string[] = [];
  for (let n = 1; n <= blocks; n++)
    hashes.push(JSON.parse(await ask('eth_getBlockByNumber', `0x${n.toString(16)}`, false)).result.hash);
  const before = process.cpuUsage();
  for (const hash of hashes) {
    const text = await ask('debug_traceBlockByHash', hash, { tracer: 'callTracer' });
    bytes += text.length;
    frames += countFrames(JSON.parse(text).result.map((trace: { result: Tree }) => trace.result));
  }
  const { user, system } = process.cpuUsage(before);
  return {
    cpuMs: (user + system) / 1000 / blocks,
    megabytes: bytes / 1e6 / blocks,
    frames: Math.round(frames / blocks),
  };
}

type Tree = { calls?: Tree[] };

function countFrames(trees: readonly Tree[]): number {
  return trees.reduce((sum, { calls = [] }) => sum + 1 + countFrames(calls), 0);
}

type Setup = Pick<WatchOrder, 'detectors' | 'traces' | 'traced'> & {
  /** The alerts of a block. */
  alerts: number;
  detector?: Parameters<typeof seedDetectors>[3];
};
async function measure(served: Served, { detector, alerts, ...setup }: Setup): Promise<Figures> {
  const connection = await createDatabase(`watch_${++databases}`);
  const store = openStore(connection, () => {});
  await seedDetectors(store, setup.detectors, served.hits, detector);
  const child = start('watchOnce');
  const order: WatchOrder = { connection, urls: [served.url, served.wsUrl], behind, live, ...setup };
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
  const expected = (behind + live) * alerts;
  if (count !== expected) throw new Error(`There are ${count} alerts, and ${expected} were due.`);
  return figures;
}

async function createDatabase(name: string): Promise<Connection> {
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

function traceRow(detectors: number, traces: string, figures: Figures): string {
  const { blocksPerSecond, cpuMsPerBlock, rssMb, callsPerBlock, p50Ms, p99Ms } = figures;
  const seen = traces === 'off' ? 'no' : 'yes';
  return `| ${detectors.toLocaleString('en')} | ${seen} | ${blocksPerSecond.toFixed(0)} | ${cpuMsPerBlock.toFixed(1)} | ${rssMb.toFixed(0)} | ${callsPerBlock.toFixed(2)} | ${p50Ms.toFixed(0)} | ${p99Ms.toFixed(0)} |`;
}

function printTraces(alone: Awaited<ReturnType<typeof parseAlone>>, rows: readonly string[]): void {
  const { frames, megabytes, cpuMs } = alone;
  console.log(
    [
      '',
      `The same blocks with traces of ${frames.toLocaleString('en')} frames and ${megabytes.toFixed(1)} MB each; in every block five watched contracts are entered again, which only traces show. Merely asking for the traces and parsing them takes ${cpuMs.toFixed(1)} ms of processor time a block.`,
      '',
      '| detectors | traces | blocks/s | CPU ms a block | memory MB | RPC calls a block | block to stored alert (without traces: to its end) p50 ms | p99 ms |',
      '|--:|---|--:|--:|--:|--:|--:|--:|',
      ...rows,
    ].join('\n'),
  );
}

function printLargeTrace(figures: Awaited<ReturnType<typeof measureLargeTrace>>): void {
  const { megabytes, frames, seconds, cpuSeconds, longestMs, longestCpuMs, rssMb } = figures;
  console.log(
    [
      '',
      `One transaction with a trace of ${megabytes.toFixed(0)} MB, read, judged by four detectors and netted:`,
      '',
      '| frames | s | CPU s | event loop held at most, ms | of which it ran, ms | memory MB |',
      '|--:|--:|--:|--:|--:|--:|',
      `| ${frames.toLocaleString('en')} | ${seconds.toFixed(1)} | ${cpuSeconds.toFixed(1)} | ${longestMs.toFixed(0)} | ${longestCpuMs.toFixed(0)} | ${rssMb.toFixed(0)} |`,
    ].join('\n'),
  );
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
