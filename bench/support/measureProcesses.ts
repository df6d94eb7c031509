import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from '../../src/lib/sql.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import type { Store } from '../../src/store/db/db.ts';
import type { Connection } from '../../src/store/db/openClient.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { reportProgress } from './reportProgress.ts';
import type { ChainsOrder, Released, ServedChain } from './serveChains.ts';

const count = 4;
const everyMs = 4000;
const steadyMs = 20_000;
const maxWaitMs = 1_200_000;
/** Their contracts are on all chains; the one with an alert in each block belongs to another tenant on each chain. */
const tenants = 32;
const hitAddress = `0x${'ab'.repeat(20)}`;

type Running = { child: ChildProcess; pid: number };
/** Chains that processes began to follow or to stand by for, how much of what is watched they read then, and how long it took. */
type Starts = { isStandBy: boolean; contractsRead: number; readMs: number }[];

/** `restarts`: so many of the processes are stopped and started again, one after the other. */
type Size = { detectors: number; chains: number; restarts: number };

/**
 * Four processes of the program as it is installed over so many EVM chains: how even, how large, how fast, and what restarts
 * cost, each of which waits until another process stands by for every chain.
 */
export async function measureProcesses(
  connection: Connection,
  { detectors, chains, restarts }: Size,
): Promise<string[]> {
  // In a session of its own, like the processes below.
  const nodes = fork(fileURLToPath(new URL('./serveChains.js', import.meta.url)), { detached: true });
  const folder = await mkdtemp(join(tmpdir(), 'vigil-bench-processes-'));
  const store = openStore(connection, () => {});
  const running: Running[] = [];
  const starts: Starts = [];
  try {
    nodes.send({ everyMs, hitAddress, chains } satisfies ChainsOrder);
    const [served] = (await once(nodes, 'message')) as [ServedChain[]];
    reportProgress(`${served.length} chains with ${detectors.toLocaleString('en')} detectors each`);
    await seed(store, served, detectors);
    const meter = startMeter(store, nodes);
    const start = () => running.push(launch(connection, folder, served, starts));
    const settled = () => until(async () => meter.isCaughtUp() && (await isEven(store, served.length)));
    const rows: string[] = [];
    const phase = async (name: string, work: () => Promise<unknown>) => {
      reportProgress(name);
      const before = await usage(running);
      const ready = await countReady(store);
      meter.reset();
      starts.length = 0;
      const startedAt = performance.now();
      await work();
      const seconds = (performance.now() - startedAt) / 1000;
      const delays = meter.read();
      rows.push(row({ name, seconds, ready, before, after: await usage(running), starts }, delays));
      reportProgress(`  ${rows.at(-1)}`);
      const waits = delays.waits.map(({ uid, at, ms }) => `${uid} ${ms} ms at ${(at / 1000).toFixed(1)} s`);
      reportProgress(`  waited longest: ${waits.join(', ')}`);
    };
    await phase('four processes start at once', async () => {
      for (let n = 0; n < count; n++) start();
      await settled();
    });
    const ready = () => until(async () => (await countReady(store)) === served.length);
    await phase('others get ready for each chain', ready);
    await phase('steady', () => sleep(steadyMs));
    for (let n = 1; n <= restarts; n++) {
      await ready();
      await phase(`process ${n} is stopped (SIGTERM) and started again`, async () => {
        await end(running.shift()!, 'SIGTERM');
        start();
        await settled();
      });
    }
    await ready();
    await phase('one is killed (kill -9) and started again', async () => {
      const former = await readHolders(store);
      await end(running.shift()!, 'SIGKILL');
      start();
      await until(async () => (await readHolders(store)).some((holder) => !former.includes(holder)));
      await settled();
    });
    const spread = await readSpread(store);
    const memory = await Promise.all(running.map(({ pid }) => readMemory(pid)));
    await meter.stop();
    return [
      `${served.length} chains, ${(served.length * detectors).toLocaleString('en')} detectors, ${count} processes: ${spread.join(', ')} chains and ${memory.map((mb) => mb.toFixed(0)).join(', ')} MB of memory in the end.`,
      '',
      '| phase | s | blocks | blocks/s | CPU ms a block | block to cursor p50 ms | p99 ms | longest ms | load | ready at its start | chains taken up | of which read before | longest reading ms | read to stand by |',
      '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
      ...rows,
    ];
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    nodes.kill();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function seed(store: Store, served: readonly ServedChain[], detectors: number): Promise<void> {
  const uids = served.map(({ uid }) => uid);
  await publishDetectors(store, 1);
  await store.query(
    sql`insert into tenant (created_at, updated_at, name)
      select 1, 1, 'Tenant ' || n from generate_series(1, ${tenants}::int) n`,
  );
  await store.query(
    sql`insert into project (tenant_id, created_at, updated_at, name) select id, 1, 1, 'bench' from tenant`,
  );
  await store.query(sql`update plan set detector_rate_limit = 1000000000`);
  await store.transaction(async (tx) => {
    // Without checking every reference, which takes minutes.
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`set local statement_timeout = 0`);
    for (const [n, uid] of uids.entries()) {
      await tx.query(
        sql`insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address,
            name, inspected_at)
          select p.tenant_id, p.id, 1, 1, ${uid}::text, a, a, 'Contract ' || n, 1
          from generate_series(1, ${detectors}::int) n
            join project p on p.tenant_id = 1 + (n + ${n}) % ${tenants},
            lateral (select case when n = 1 then ${hitAddress}::text
              else '0x' || left(encode(sha256((${uid}::text || n)::bytea), 'hex'), 40) end as a) x`,
      );
      await tx.query(
        sql`insert into detector (tenant_id, contract_id, schema_id, created_at, updated_at, name, source, config)
          select c.tenant_id, c.id, s.id, 1, 1, 'Detector of ' || c.id, 'PLATFORM', '{"checkOwner": false}'
          from contract c, detector_schema s where s.name = 'ownership_change' and c.chain_uid = ${uid}`,
      );
    }
  });
  await store.query(sql`analyze`);
}

function launch(
  connection: Connection,
  folder: string,
  served: readonly ServedChain[],
  starts: Starts,
): Running {
  const { user, password, host, port, database } = connection;
  const name = (uid: string) => uid.toUpperCase();
  const child = spawn(fileURLToPath(new URL('../../../dist/bin/vigil.js', import.meta.url)), ['serve'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_OPTIONS: '--max-old-space-size=6144',
      VIGIL_DATA_DIR: folder,
      VIGIL_ROLES: 'watch',
      VIGIL_PORT: '0',
      VIGIL_LOG_LEVEL: 'info',
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(String(password))}@/${database}?host=${encodeURIComponent(String(host))}&port=${port}`,
      ...Object.fromEntries(served.map(({ uid, urls }) => [`VIGIL_RPC_${name(uid)}`, urls])),
      ...Object.fromEntries(served.map(({ uid }) => [`VIGIL_CHAIN_${name(uid)}_TRACES`, 'off'])),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    // In a session of its own, like a service: the kernel shares processors between sessions first.
    detached: true,
  });
  createInterface(child.stderr).on('line', (line) => {
    const entry = line.startsWith('{') ? JSON.parse(line) : {};
    if (entry.level >= errorLevel) console.error(line);
    const isStandBy = entry.msg === 'Standing by for the chain';
    if (isStandBy || entry.msg === 'Following the chain') starts.push({ ...entry, isStandBy });
  });
  return { child, pid: child.pid! };
}

const errorLevel = 50;

async function end({ child }: Running, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function readSpread(store: Store): Promise<number[]> {
  const rows = await store.query<{ chains: number }>(
    sql`select count(*) as chains from chain_cursor where holder is not null and lease_until > clock_timestamp()
      and processed is not null group by holder order by 1 desc`,
  );
  return rows.map(({ chains }) => chains);
}

async function isEven(store: Store, chains: number): Promise<boolean> {
  const spread = await readSpread(store);
  const held = spread.reduce((sum, each) => sum + each, 0);
  return held === chains && spread.length === count && spread[0]! - spread.at(-1)! <= 1;
}

async function countReady(store: Store): Promise<number> {
  const rows = await store.query(
    sql`select 1 from chain_standby s join chain_cursor k using (chain_uid)
      where s.is_ready and s.until > clock_timestamp() and s.process <> k.holder`,
  );
  return rows.length;
}

async function readHolders(store: Store): Promise<string[]> {
  const rows = await store.query<{ holder: string }>(
    sql`select distinct holder from chain_cursor where holder is not null`,
  );
  return rows.map(({ holder }) => holder);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await isTrue())) {
    if (performance.now() > startedAt + maxWaitMs) throw new Error('The chains are not spread evenly.');
    await sleep(100);
  }
}

/** How long a block of the chain waited that its node had shown so long after the phase began. */
type Delay = { uid: string; at: number; ms: number };
type Delays = { blocks: number; p50: number; p99: number; longest: number; waits: readonly Delay[] };

/** How long after a node has shown a block the cursor of its chain is there. */
function startMeter(store: Store, nodes: ChildProcess) {
  const waiting = new Map<string, Released[]>();
  let delays: Delay[] = [];
  let since = Date.now();
  nodes.on('message', (released: Released) => {
    waiting.set(released.uid, [...(waiting.get(released.uid) ?? []), released]);
  });
  const stopping = new AbortController();
  const polling = (async () => {
    while (!stopping.signal.aborted) {
      const rows = await store.query<{ uid: string; processed: number | null }>(
        sql`select chain_uid as uid, processed from chain_cursor`,
      );
      const now = Date.now();
      for (const { uid, processed } of rows) {
        const queue = waiting.get(uid) ?? [];
        waiting.set(
          uid,
          queue.filter(({ number }) => processed === null || number > processed),
        );
        for (const { number, at } of queue)
          if (processed !== null && number <= processed) delays.push({ uid, at: at - since, ms: now - at });
      }
      await sleep(20);
    }
  })();
  return {
    reset: () => {
      delays = [];
      since = Date.now();
    },
    isCaughtUp: () => [...waiting.values()].every((queue) => queue.length <= 1),
    /** Blocks that still wait count with the time so far. */
    read(): Delays {
      const now = Date.now();
      const late = [...waiting.values()].flatMap(([first]) => (first ? [now - first.at] : []));
      const sorted = delays.toSorted((a, b) => a.ms - b.ms);
      const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]?.ms ?? 0;
      return {
        blocks: sorted.length,
        p50: at(0.5),
        p99: at(0.99),
        longest: Math.max(at(1), ...late),
        waits: sorted.slice(-8).toReversed(),
      };
    },
    stop: () => {
      stopping.abort();
      return polling;
    },
  };
}

/** Processor time by process. */
async function usage(running: readonly Running[]): Promise<Map<number, number>> {
  return new Map(await Promise.all(running.map(async ({ pid }) => [pid, await readCpuMs(pid)] as const)));
}

async function readCpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}

async function readMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1000;
}

type Phase = {
  name: string;
  seconds: number;
  /** Chains that a process stood by for in the beginning. */
  ready: number;
  before: ReadonlyMap<number, number>;
  after: ReadonlyMap<number, number>;
  starts: Starts;
};

function row(
  { name, seconds, ready, before, after, starts }: Phase,
  { blocks, p50, p99, longest }: Delays,
): string {
  const cpuMs = [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);
  const following = starts.filter(({ isStandBy }) => !isStandBy);
  const cells = [
    name,
    seconds.toFixed(0),
    blocks,
    (blocks / seconds).toFixed(1),
    (cpuMs / blocks).toFixed(1),
    p50,
    p99,
    longest.toLocaleString('en'),
    loadavg()[0]?.toFixed(0),
    ready,
    following.length,
    following.filter(({ contractsRead }) => contractsRead < wholeRead).length,
    Math.max(0, ...following.map(({ readMs }) => readMs)).toLocaleString('en'),
    starts.filter(({ isStandBy, contractsRead }) => isStandBy && contractsRead >= wholeRead).length,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** What changed is less, everything is more. */
const wholeRead = 100;
