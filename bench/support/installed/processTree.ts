import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const tickMs = 10;

type Process = { pid: number; parent: number; ownMs: number; endedMs: number };

/** The processes of a Vigil: its own and those of its PostgreSQL, with all below them. */
async function processesOf(pid: number, dataDir: string): Promise<{ all: Process[]; postgres: Process[] }> {
  const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const postmaster = Number(file.split('\n')[0]);
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const every = (await Promise.all(names.map(readProcess))).flatMap((one) => one ?? []);
  const below = (roots: readonly number[]) => {
    const pids = new Set(roots);
    for (let size = 0; size !== pids.size; ) {
      size = pids.size;
      for (const { pid: own, parent } of every) if (pids.has(parent)) pids.add(own);
    }
    return every.filter((one) => pids.has(one.pid));
  };
  return { all: below([pid, postmaster]), postgres: below([postmaster]) };
}

async function readProcess(pid: string): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name before may have spaces.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return {
    pid: Number(pid),
    parent: Number(fields[1]),
    ownMs: (user + system) * tickMs,
    endedMs: (endedUser + endedSystem) * tickMs,
  };
}

export type Usage = { cpuMs: number; postgresMs: number };

/** Processor time so far, also of processes that have ended. */
export async function readUsage(pid: number, dataDir: string): Promise<Usage> {
  const { all, postgres } = await processesOf(pid, dataDir);
  const sum = (list: readonly Process[]) => list.reduce((ms, { ownMs, endedMs }) => ms + ownMs + endedMs, 0);
  return { cpuMs: sum(all), postgresMs: sum(postgres) };
}

/** Memory in MB, with shared pages counted once. */
export async function readPss(pid: number, dataDir: string): Promise<number> {
  const { all } = await processesOf(pid, dataDir);
  const sizes = await Promise.all(
    all.map(async (one) => {
      const text = await readFile(`/proc/${one.pid}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** Samples the memory until it is stopped; the highest. */
export function watchPss(pid: number, dataDir: string): () => Promise<number> {
  let highest = 0;
  const ending = new AbortController();
  const sampling = (async () => {
    while (!ending.signal.aborted) {
      highest = Math.max(highest, await readPss(pid, dataDir));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  return async () => {
    ending.abort();
    await sampling;
    return highest;
  };
}
