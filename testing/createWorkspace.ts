import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Client, createClient } from '../sdk/src/index.ts';
import { kill, postgresProcesses, socketFolderOf } from './bundledPostgres.ts';
import { copyDataFolder } from './copyDataFolder.ts';
import { createClient as createRawClient, type TestClient } from './createClient.ts';
import { nodeFlags } from './nodeFlags.ts';
import { dropOutsideDatabase, giveOutsideDatabase, outsideDatabaseOf } from './outsideDatabases.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, '..', 'dist', 'bin', 'vigil.js');

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

/** The built program as a process of its own: used by the client as programs do, and by raw requests (`call`). */
export type Vigil = Client &
  TestClient & {
    pid: number;
    dataDir: string;
    startMs: number;
    /** Output so far. */
    stdout(): string;
    stderr(): string;
    /** Sends a signal and waits for the end. */
    stop(signal?: NodeJS.Signals): Promise<Ended>;
    ended: Promise<Ended>;
  };

export type Environment = Record<string, string>;

/**
 * A folder for the data folders of one test file. The first `serve` on a new one continues from a copy of what a first start
 * leaves; `firstStart` is for tests of the first start itself. Where VIGIL_TEST_DATABASE_URL names a server, each data folder has
 * its database there; `isBundled` is for tests of the bundled one.
 */
export async function createWorkspace({ firstStart = false, isBundled = false } = {}) {
  const workspace = join(tmpdir(), `vigil-e2e-${randomUUID()}`);
  await mkdir(workspace);
  await chmod(workspace, 0o755);
  const children: ChildProcess[] = [];

  function launch(args: readonly string[], dataDir: string, env: Environment) {
    if (!existsSync(program)) throw new Error('There is no dist/: run `npm run build` first.');
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...nodeFlags, program, ...args], {
      // Keeps the settings of the test process out.
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        VIGIL_DATA_DIR: dataDir,
        VIGIL_RUN_DIR: join(workspace, 'runs', basename(dataDir)),
        ...withDatabase(dataDir, env),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    }
    const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...printed }));
    return { child, printed, ended, startedAt };
  }

  async function makeFirst(dataDir: string): Promise<void> {
    const { child, printed, ended } = launch(['serve'], dataDir, quiet);
    await untilListening(printed, ended);
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    if (code !== 0) throw new Error(`Vigil ended with ${code} after its first start: ${stderr}`);
  }

  return {
    folder: (name: string) => join(workspace, name),

    /** Runs one command to its end. */
    run: (args: readonly string[], dataDir: string, env: Environment = {}): Promise<Ended> =>
      launch(args, dataDir, env).ended,

    /** Starts serving without waiting for it. */
    startServe: (dataDir: string, env: Environment = {}) => launch(['serve'], dataDir, { ...quiet, ...env }),

    /** Serves, and resolves when it listens; as the administrator of the data folder's token file. */
    async serve(dataDir: string, env: Environment = {}): Promise<Vigil> {
      if (!isBundled && !('DATABASE_URL' in env)) await giveOutsideDatabase(dataDir);
      if (!firstStart) await copyDataFolder(dataDir, withDatabase(dataDir, env), makeFirst);
      const { child, printed, ended, startedAt } = launch(['serve'], dataDir, { ...quiet, ...env });
      const url = await untilListening(printed, ended);
      const startMs = performance.now() - startedAt;
      const token = env.VIGIL_ADMIN_TOKEN ?? (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
      return {
        ...createClient({ url, token }),
        ...createRawClient(url, token),
        pid: child.pid!,
        dataDir,
        startMs,
        stdout: () => printed.stdout,
        stderr: () => printed.stderr,
        async stop(signal = 'SIGTERM') {
          child.kill(signal);
          return ended;
        },
        ended,
      };
    },

    async remove(): Promise<void> {
      for (const child of children) child.kill('SIGKILL');
      for (const name of await readdir(workspace)) {
        const dataDir = join(workspace, name);
        await dropOutsideDatabase(dataDir);
        // A failed test may have left its server, and a killed server leaves its socket.
        for (const pid of await postgresProcesses(dataDir)) kill(pid);
        if (existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
          await rm(await socketFolderOf(dataDir), { recursive: true, force: true });
      }
      await rm(workspace, { recursive: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

function withDatabase(dataDir: string, env: Environment): Environment {
  const outside = outsideDatabaseOf(dataDir);
  return outside ? { DATABASE_URL: outside.url, ...env } : env;
}

/** Resolves to the URL. */
function untilListening(printed: { stdout: string }, ended: Promise<Ended>): Promise<string> {
  return Promise.race([
    until(() => /^Vigil listens on (\S+)\n(.*\n)* {2}database/m.exec(printed.stdout)?.[1]),
    ended.then(({ code, stderr }) => {
      throw new Error(`Vigil ended with ${code} before it listened: ${stderr}`);
    }),
  ]);
}

const quiet = { VIGIL_PORT: '0', VIGIL_RATE_LIMIT: '1000000', VIGIL_RATE_BURST: '1000000' };
