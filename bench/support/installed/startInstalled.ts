import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type Installed = {
  pid: number;
  dataDir: string;
  /** Until it listened, and until it followed the chain. */
  listenedMs: number;
  followedMs(): Promise<number>;
  ask(method: string, path: string, body?: unknown): Promise<Record<string, never>>;
  stop(): Promise<void>;
};

const program = fileURLToPath(new URL('../../../../dist/bin/vigil.js', import.meta.url));

/** The built program on a data folder, as `vigil serve` starts it. */
export async function startInstalled(dataDir: string, env: Record<string, string>): Promise<Installed> {
  const startedAt = performance.now();
  // Other flags of Node than the program's own, for trials.
  const flags = process.env.VIGIL_BENCH_FLAGS?.split(' ');
  const [command, ...words] = flags ? [process.execPath, ...flags, program] : [program];
  const child = spawn(command ?? program, [...words, 'serve'], {
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      VIGIL_DATA_DIR: dataDir,
      VIGIL_PORT: '0',
      VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
      VIGIL_RATE_LIMIT: '1000000',
      VIGIL_RATE_BURST: '1000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let onFollowed: (ms: number) => void = () => {};
  const followed = new Promise<number>((resolve) => {
    onFollowed = resolve;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error('Vigil ended.')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /^Vigil listens on (\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('"Following the chain"')) onFollowed(performance.now() - startedAt);
      if (/"level":(40|50|60)/.test(line)) console.error(line);
    });
  });
  const listenedMs = performance.now() - startedAt;
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  return {
    pid: child.pid!,
    dataDir,
    listenedMs,
    followedMs: () => followed,
    async ask(method, path, body) {
      const response = await fetch(`${url}/api/v1/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok)
        throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
      return JSON.parse(text);
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
