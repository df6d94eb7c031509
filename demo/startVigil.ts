import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Other } from './others.ts';

/** Beside dist/demo, where this is bundled. */
const program = join(import.meta.dirname, '..', 'bin', 'vigil.js');
const patienceMs = 15_000;

type Options = { port: number; dataDir: string; rpcUrls: readonly string[]; others: readonly Other[] };

/** `vigil serve` as a process of its own. */
export function startVigil({ port, dataDir, rpcUrls, others }: Options) {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      ...withoutSettings(process.env),
      VIGIL_PORT: String(port),
      VIGIL_DATA_DIR: dataDir,
      // Commands without settings are for a Vigil of one's own.
      VIGIL_RUN_DIR: join(dataDir, 'run'),
      VIGIL_RPC_ANVIL: rpcUrls.join(','),
      ...Object.fromEntries(
        others.flatMap(({ uid, urls, network }) => [
          [`VIGIL_RPC_${uid.toUpperCase()}`, urls.join(',')],
          ...(network === undefined ? [] : [[`VIGIL_CHAIN_${uid.toUpperCase()}_NETWORK`, network]]),
        ]),
      ),
      VIGIL_LOG_LEVEL: 'error',
    },
    // Ctrl-C is for the demo, which then stops Vigil; a second signal would make Vigil leave at once.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  let output = '';
  let database = join(dataDir, 'postgres');
  const ended = once(child, 'close').then(() => process.off('exit', kill));
  const failed = ended.then((): never => {
    throw new Error(`Vigil ended by itself with ${child.exitCode ?? child.signalCode}.`);
  });
  // Rejects the pending start; a stop on purpose is not an error.
  failed.catch(() => {});

  const listening = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, url, folder] =
        /^Vigil listens on (\S+)\n(?:.*\n)*? {2}database +(.+?)(?: \(.*\))?\n/m.exec(output) ?? [];
      if (!url || !folder) return;
      database = folder;
      resolve(url);
    });
  });

  return {
    /** Rejects when Vigil ends by itself. */
    failed,

    async ready(): Promise<{ url: string; adminToken: string }> {
      const url = await Promise.race([listening, failed]);
      return { url, adminToken: (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim() };
    },

    async stop(): Promise<void> {
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      child.kill();
      await ended;
      clearTimeout(timer);
      await stopOrphan(join(database, 'postmaster.pid'));
    },

    /** The database lies elsewhere when Vigil runs as root and PostgreSQL's account cannot enter the data folder. */
    async removeData(): Promise<void> {
      for (const folder of new Set([dataDir, dirname(database)]))
        await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A Vigil that was killed leaves its PostgreSQL running, whose file is gone when it has stopped. */
async function stopOrphan(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const [pid, , , , socketFolder] = (await readFile(pidFile, 'utf8')).split('\n');
  try {
    process.kill(Number(pid), 'SIGINT');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  for (const deadline = Date.now() + patienceMs; existsSync(pidFile) && Date.now() < deadline; )
    await sleep(50);
  if (socketFolder) await rm(socketFolder, { recursive: true, force: true });
}

/** Settings of a real Vigil on this machine, above all its database, are none of the demo's. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('VIGIL_') && !name.startsWith('DATABASE_')),
  );
}
