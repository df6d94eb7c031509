import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export type Start = { firstMs: number; laterMs: number; idleBytes: number };

/**
 * Runs `vigil serve` twice on a new data folder: how long each start takes, and what it holds after doing nothing for
 * a while.
 */
export async function measureStart(dataDir: string, idleMs: number): Promise<Start> {
  const first = await startVigil(dataDir);
  await stop(first.child);
  const later = await startVigil(dataDir);
  await sleep(idleMs);
  const idleBytes = await residentBytes(later.url);
  await stop(later.child);
  return { firstMs: first.ms, laterMs: later.ms, idleBytes };
}

async function startVigil(dataDir: string): Promise<{ child: ChildProcess; url: string; ms: number }> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../src/bin/vigil.js', import.meta.url)), 'serve'],
    {
      env: { PATH: process.env.PATH, VIGIL_DATA_DIR: dataDir, VIGIL_PORT: '0', VIGIL_LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Vigil listens on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    // Whatever it still prints must not fill the pipe.
    child.stdout.resume();
    return { child, url, ms: performance.now() - began };
  }
  throw new Error('vigil serve ended before it listened.');
}

async function residentBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]);
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}
