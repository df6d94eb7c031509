import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type TestClient } from './client.ts';

const program = join(import.meta.dirname, '..', '..', 'dist', 'bin', 'vigil.js');

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

/** The built program as a process of its own. */
export type Vigil = TestClient & {
  pid: number;
  dataDir: string;
  startMs: number;
  /** What it has printed so far. */
  stdout(): string;
  stderr(): string;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  ended: Promise<Ended>;
};

export type Environment = Record<string, string>;

/** A place for data folders of one test file; Vigil makes the folders in it, with the modes that it needs. */
export async function createPlace() {
  const place = join(tmpdir(), `vigil-e2e-${randomUUID()}`);
  await mkdir(place);
  await chmod(place, 0o755);
  const children: ChildProcess[] = [];

  function launch(args: readonly string[], dataDir: string, env: Environment) {
    if (!existsSync(program)) throw new Error('There is no dist/: run `npm run build` first.');
    const startedAt = performance.now();
    const child = spawn(process.execPath, [program, ...args], {
      // Nothing of our own settings may leak in.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, VIGIL_DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const told = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        told[name] += text;
      });
    }
    const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...told }));
    return { child, told, ended, startedAt };
  }

  return {
    folder: (name: string) => join(place, name),

    /** Runs one command to its end. */
    run: (args: readonly string[], dataDir: string, env: Environment = {}): Promise<Ended> =>
      launch(args, dataDir, env).ended,

    /** Starts serving without waiting for it. */
    begin: (dataDir: string, env: Environment = {}) => launch(['serve'], dataDir, { ...quiet, ...env }),

    /** Serves, and resolves when it listens; as the administrator of the data folder's token file. */
    async serve(dataDir: string, env: Environment = {}): Promise<Vigil> {
      const { child, told, ended, startedAt } = launch(['serve'], dataDir, { ...quiet, ...env });
      const url = await Promise.race([
        until(() => /^Vigil listens on (\S+)\n(.*\n)* {2}database/m.exec(told.stdout)?.[1]),
        ended.then(({ code, stderr }) => {
          throw new Error(`Vigil ended with ${code} before it listened: ${stderr}`);
        }),
      ]);
      const startMs = performance.now() - startedAt;
      const token = env.VIGIL_ADMIN_TOKEN ?? (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
      return {
        ...createClient(url, token),
        pid: child.pid!,
        dataDir,
        startMs,
        stdout: () => told.stdout,
        stderr: () => told.stderr,
        async stop(signal = 'SIGTERM') {
          child.kill(signal);
          return ended;
        },
        ended,
      };
    },

    async remove(): Promise<void> {
      for (const child of children) child.kill('SIGKILL');
      for (const name of await readdir(place)) {
        const dataDir = join(place, name);
        // A failed test may have left its server, and a killed server leaves its socket.
        for (const pid of await postgresProcesses(dataDir)) kill(pid);
        if (existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
          await rm(await socketFolderOf(dataDir), { recursive: true, force: true });
      }
      await rm(place, { recursive: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

const quiet = { VIGIL_PORT: '0', VIGIL_RATE_LIMIT: '1000000', VIGIL_RATE_BURST: '1000000' };

/** Waits until there is something to see. */
export async function until<T>(look: () => T | Promise<T>, patienceMs = 60_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`Nothing was seen in ${patienceMs} ms.`);
    await sleep(10);
  }
}

export async function postmasterOf(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** How to reach the bundled server beside Vigil. */
export async function databaseOf(dataDir: string) {
  const host = await socketFolderOf(dataDir);
  const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
  return { host, port: 5432, user: 'vigil', password, database: 'vigil' };
}

async function socketFolderOf(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[4]!;
}

/** Every process of PostgreSQL that works on the data folder, its first one and all others. */
export async function postgresProcesses(dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 1);
  const here = await Promise.all(
    pids.map(async (pid) => {
      // Gone since the folder was read, or a kernel thread.
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
      return cwd === join(dataDir, 'postgres');
    }),
  );
  return pids.filter((_, i) => here[i]);
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
