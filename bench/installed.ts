import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { contractAt } from './support/installed/mainnetBlock.ts';
import type { Floor, FloorOrder } from './support/installed/measureFloor.ts';
import { readPss, readUsage, type Usage, watchPss } from './support/installed/processTree.ts';
import type { NodeAnswer, NodeOrder } from './support/installed/serveMainnet.ts';
import { type Installed, startInstalled } from './support/installed/startInstalled.ts';
import { startSink } from './support/installed/startSink.ts';
import { machine } from './support/machine.ts';
import { reportProgress } from './support/reportProgress.ts';

/**
 * The installed program: its processes with PostgreSQL, beside what the same bytes cost alone. `npm run bench:installed -- short`
 * takes three minutes; names of sections after it run these alone: catchUp, live, idle, drain.
 */
const words = process.argv.slice(3);
const isShort = words.includes('short');
const wanted = words.filter((word) => word !== 'short');
const has = (section: string) => wanted.length === 0 || wanted.includes(section);
const chosenRules = wanted.filter((word) => /^\d+$/.test(word)).map(Number);
const size = isShort
  ? { catchUp: 200, live: 25, idleBlocks: 3, drain: 80 }
  : { catchUp: 500, live: 120, idleBlocks: 10, drain: 200 };

const many = 1_000_000;
const wide = {
  maxUsers: many,
  maxContracts: many,
  maxProjects: many,
  maxTriggers: many,
  maxDetectors: many,
  maxWallets: many,
  maxActions: many,
  maxApiKeys: many,
  detectorRateLimit: many,
};

const folder = join(tmpdir(), `vigil-installed-${randomUUID()}`);
await mkdir(folder);
const nodeProcess = start('serveMainnet');
const sink = await startSink();
const rows: string[] = [];
const running = new Set<Installed>();
try {
  const origin = await tell({ make: 1 });
  await tell({ show: true });
  const first = join(folder, 'first');
  await mkdir(first);
  await (await startInstalled(first, {})).stop();
  if (has('catchUp') || chosenRules.length > 0) await measureCatchUps(origin);
  if (has('live')) {
    await measureLive('HTTP', origin.url);
    await measureLive('WebSocket', `${origin.wsUrl},${origin.url}`);
  }
  if (has('idle')) await measureIdle(origin.url);
  if (has('drain')) await measureDrain(origin.url);
  console.log(
    [
      '',
      `${machine()}. 180 transactions and 447 logs a block, one match a block; CPU and memory (PSS) of all processes with PostgreSQL.`,
      '',
      ...rows,
    ].join('\n'),
  );
} finally {
  for (const vigil of running) await vigil.stop();
  nodeProcess.kill();
  sink.close();
  await rm(folder, { recursive: true, force: true });
}

async function measureCatchUps({ url }: NodeAnswer): Promise<void> {
  rows.push(
    '| rules | CPU ms a block | of it PostgreSQL | blocks/s | calls a block | peak PSS MB | set up, s | start until it follows, ms | lost |',
    '|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
  );
  for (const rules of chosenRules.length > 0 ? chosenRules : [10, 1000, 10_000]) {
    reportProgress(`Catching up with ${rules.toLocaleString('en')} rules`);
    const { vigil: setUp, seconds } = await prepare(url, rules);
    await quit(setUp);
    const vigil = await serve(setUp.dataDir, url);
    const followedMs = await vigil.followedMs();
    await sleep(3000);
    const { head: before } = await tell({ make: size.catchUp });
    const calls = await tell({ count: true });
    const peak = watchPss(vigil.pid, vigil.dataDir);
    const usage = await readUsage(vigil.pid, vigil.dataDir);
    const startedAt = Date.now();
    const { head } = await tell({ show: true });
    const lost = await sink.waitFor(before + 1, head, 300_000);
    const spent = await since(vigil, usage);
    const perSecond = size.catchUp / ((Date.now() - startedAt) / 1000);
    const asked = callsBetween(calls, await tell({ count: true }));
    rows.push(
      `| ${rules.toLocaleString('en')} | ${(spent.cpuMs / size.catchUp).toFixed(1)} | ${(spent.postgresMs / size.catchUp).toFixed(1)} | ${perSecond.toFixed(1)} | ${(asked / size.catchUp).toFixed(2)} | ${(await peak()).toFixed(0)} | ${seconds.toFixed(1)} | ${followedMs.toFixed(0)} | ${lost} |`,
    );
    await quit(vigil);
    if (rules === 10 || chosenRules.length > 0) {
      const floor = await measureFloor({ url, first: before + 1, last: head });
      rows.push(
        `| floor | ${floor.cpuMs.toFixed(1)} | | ${floor.blocksPerSecond.toFixed(1)} | 2.00 | | | | ${floor.kilobytes.toFixed(0)} kB a block |`,
      );
    }
    console.error(rows.slice(-2).join('\n'));
    if (process.env.VIGIL_BENCH_CALLS) console.error(calls.calls, (await tell({ count: true })).calls);
  }
}

async function measureLive(by: string, urls: string): Promise<void> {
  reportProgress(`A block a second, ${by}`);
  if (!rows.some((row) => row.startsWith('| live')))
    rows.push(
      '',
      '| live | CPU ms a block | of it PostgreSQL | calls a block | block to webhook p50 ms | p99 ms | longest ms | lost |',
      '|---|--:|--:|--:|--:|--:|--:|--:|',
    );
  const { vigil } = await prepare(urls, 100);
  for (let n = 0; n < 8; n++) {
    await tell({ next: 'full' });
    await sleep(1000);
  }
  const calls = await tell({ count: true });
  const usage = await readUsage(vigil.pid, vigil.dataDir);
  const shown = new Map<number, number>();
  let nextAt = Date.now();
  for (let n = 0; n < size.live; n++) {
    const { head, shownAt } = await tell({ next: 'full' });
    shown.set(head, shownAt);
    nextAt += 1000;
    await sleep(Math.max(0, nextAt - Date.now()));
  }
  const numbers = [...shown.keys()];
  const lost = await sink.waitFor(numbers[0]!, numbers.at(-1)!, 15_000);
  const spent = await since(vigil, usage);
  const asked = callsBetween(calls, await tell({ count: true }));
  const delays = numbers
    .flatMap((number) => {
      const at = sink.arrived.get(number);
      return at === undefined ? [] : [at - shown.get(number)!];
    })
    .sort((one, next) => one - next);
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))];
  rows.push(
    `| ${by} | ${(spent.cpuMs / size.live).toFixed(1)} | ${(spent.postgresMs / size.live).toFixed(1)} | ${(asked / size.live).toFixed(2)} | ${at(0.5)} | ${at(0.99)} | ${delays.at(-1)} | ${lost} |`,
  );
  console.error(rows.at(-1));
  await quit(vigil);
}

async function measureIdle(url: string): Promise<void> {
  reportProgress('Empty blocks every 12 s');
  rows.push(
    '',
    '| idle, 12 s blocks, 100 rules | CPU ms a minute | of it PostgreSQL | calls a block | PSS MB |',
    '|---|--:|--:|--:|--:|',
  );
  const { vigil } = await prepare(url, 100);
  let nextAt = Date.now() + 12_000;
  const beat = async () => {
    await sleep(Math.max(0, nextAt - Date.now()));
    nextAt += 12_000;
    await tell({ next: 'empty' });
  };
  // The pace is learned.
  for (let n = 0; n < 5; n++) await beat();
  await sleep(1000);
  const calls = await tell({ count: true });
  const usage = await readUsage(vigil.pid, vigil.dataDir);
  const startedAt = Date.now();
  for (let n = 0; n < size.idleBlocks; n++) await beat();
  await sleep(1000);
  const spent = await since(vigil, usage);
  const minutes = (Date.now() - startedAt) / 60_000;
  const asked = callsBetween(calls, await tell({ count: true }));
  const pss = await readPss(vigil.pid, vigil.dataDir);
  rows.push(
    `| | ${(spent.cpuMs / minutes).toFixed(0)} | ${(spent.postgresMs / minutes).toFixed(0)} | ${(asked / size.idleBlocks).toFixed(1)} | ${pss.toFixed(0)} |`,
  );
  console.error(rows.at(-1));
  await quit(vigil);
}

async function measureDrain(url: string): Promise<void> {
  reportProgress('Traces for 20 drain detectors');
  rows.push(
    '',
    '| 100 rules and 20 drain | CPU ms a block | of it PostgreSQL | calls a block | blocks read | logs read | traces read |',
    '|---|--:|--:|--:|--:|--:|--:|',
  );
  for (const traces of ['off', 'auto']) {
    const { vigil } = await prepare(url, 100, { drains: 20, env: { VIGIL_CHAIN_ETHEREUM_TRACES: traces } });
    await sleep(2000);
    const { head: before } = await tell({ make: size.drain });
    const calls = await tell({ count: true });
    const usage = await readUsage(vigil.pid, vigil.dataDir);
    const { head } = await tell({ show: true });
    await sink.waitFor(before + 1, head, 120_000);
    if (traces === 'auto') await untilTraced(vigil, head);
    const spent = await since(vigil, usage);
    const after = await tell({ count: true });
    const of = (method: string) =>
      (((after.calls[method] ?? 0) - (calls.calls[method] ?? 0)) / size.drain).toFixed(2);
    rows.push(
      `| traces ${traces} | ${(spent.cpuMs / size.drain).toFixed(1)} | ${(spent.postgresMs / size.drain).toFixed(1)} | ${(callsBetween(calls, after) / size.drain).toFixed(2)} | ${of('eth_getBlockByNumber')} | ${of('eth_getLogs')} | ${of('debug_traceBlockByHash')} |`,
    );
    console.error(rows.at(-1));
    await quit(vigil);
  }
}

async function untilTraced(vigil: Installed, head: number): Promise<void> {
  const endsAt = Date.now() + 120_000;
  while (Date.now() < endsAt) {
    const answer = (await vigil.ask('GET', 'chain')) as unknown as { data: ChainRow[] };
    const row = answer.data.find(({ uid }) => uid === 'ethereum');
    if (row?.traces && row.traces.waiting === 0 && (row.traces.processed ?? 0) >= head) return;
    await sleep(200);
  }
}

type ChainRow = { uid: string; traces: { waiting: number; processed: number | null } | null };
type Prepared = { vigil: Installed; seconds: number };

/** A Vigil of its own that follows the head, with rules: a contract and a trigger each. */
async function prepare(
  urls: string,
  rules: number,
  { drains = 0, env = {} }: { drains?: number; env?: Record<string, string> } = {},
): Promise<Prepared> {
  const dataDir = join(folder, randomUUID());
  await cp(join(folder, 'first'), dataDir, { recursive: true });
  const vigil = await serve(dataDir, urls, env);
  const id = (answer: Record<string, never>) => (answer as { id?: number }).id;
  const plan = await vigil.ask('POST', 'plan', { name: 'bench', ...wide });
  const tenant = await vigil.ask('POST', 'tenant', { name: 'bench' });
  const tenantId = id(tenant);
  const expirationDate = 4_000_000_000_000;
  await vigil.ask('POST', 'subscription', { tenantId, planId: id(plan), expirationDate });
  const project = await vigil.ask('POST', 'project', { tenantId, name: 'bench' });
  const destination = await vigil.ask('POST', 'destination', { tenantId, type: 'HTTP', uri: sink.url });
  const startedAt = performance.now();
  const contractIds: number[] = [];
  for (let from = 0; from < rules; from += 1000) {
    const chunk = Array.from({ length: Math.min(1000, rules - from) }, (_, index) => from + index);
    const contracts = await batch(vigil, 'contract', (n) => ({
      projectId: id(project),
      name: `Contract ${n}`,
      chainUid: 'ethereum',
      address: contractAt(n),
    }));
    contractIds.push(...contracts);
    await batch(vigil, 'trigger', (n) => ({
      contractId: contractIds[n],
      name: `Rule ${n}`,
      triggerType: 'EVENT_PARAMETER',
      params: {
        signature: 'Transfer(address indexed from, address indexed to, uint256 value)',
        conditions: [{ name: 'value', operator: '>=', value: '1000000000000000000000000' }],
      },
      alerts: [
        {
          severity: 'HIGH',
          name: 'Large transfer',
          message: 'A large transfer.',
          destinations: [{ tenantDestinationId: id(destination) }],
        },
      ],
    }));

    async function batch(to: Installed, kind: string, toRecord: (n: number) => object): Promise<number[]> {
      const answer = await to.ask('POST', `${kind}/batch`, { records: chunk.map(toRecord) });
      return (answer as unknown as { data: { id: number }[] }).data.map((record) => record.id);
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  for (let n = 0; n < drains; n++)
    await vigil.ask('POST', 'detector', {
      contractId: contractIds[n],
      name: 'Drain',
      schemaName: 'drain',
      config: {},
    });
  await vigil.followedMs();
  await followsHead(vigil);
  return { vigil, seconds };
}

/** Shows a block now and then until a message of one arrives. */
async function followsHead(_vigil: Installed): Promise<void> {
  for (let n = 0; n < 60; n++) {
    const { head } = await tell({ next: 'full' });
    if ((await sink.waitFor(head, head, 1500)) === 0) return;
  }
  throw new Error('Vigil does not follow the chain.');
}

/** Without traces, unless a section is about them. */
async function serve(dataDir: string, urls: string, env: Record<string, string> = {}): Promise<Installed> {
  const vigil = await startInstalled(dataDir, {
    VIGIL_RPC_ETHEREUM: urls,
    VIGIL_CHAIN_ETHEREUM_TRACES: 'off',
    ...env,
  });
  running.add(vigil);
  return vigil;
}

async function quit(vigil: Installed): Promise<void> {
  running.delete(vigil);
  await vigil.stop();
}

async function since(vigil: Installed, before: Usage): Promise<Usage> {
  const after = await readUsage(vigil.pid, vigil.dataDir);
  return { cpuMs: after.cpuMs - before.cpuMs, postgresMs: after.postgresMs - before.postgresMs };
}

function callsBetween(before: NodeAnswer, after: NodeAnswer): number {
  const sum = ({ calls }: NodeAnswer) => Object.values(calls).reduce((total, count) => total + count, 0);
  return sum(after) - sum(before);
}

async function measureFloor(order: FloorOrder): Promise<Floor> {
  const child = start('measureFloor');
  child.send(order);
  const [floor] = (await once(child, 'message')) as [Floor];
  return floor;
}

async function tell(order: NodeOrder): Promise<NodeAnswer> {
  nodeProcess.send(order);
  const [answer] = (await once(nodeProcess, 'message')) as [NodeAnswer];
  return answer;
}

function start(name: string): ChildProcess {
  return fork(fileURLToPath(new URL(`./support/installed/${name}.js`, import.meta.url)));
}
