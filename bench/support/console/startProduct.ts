import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type Product = {
  url: string;
  ok<T = { id: number }>(method: string, path: string, body: unknown): Promise<T>;
  stop(): Promise<void>;
};

/** The built program, as `npm start` runs it. */
export async function startProduct(program: string, dataDir: string, rpcUrl: string): Promise<Product> {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      PATH: process.env.PATH,
      VIGIL_DATA_DIR: dataDir,
      VIGIL_PORT: '0',
      VIGIL_LOG_LEVEL: 'warn',
      VIGIL_RATE_LIMIT: '1000000',
      VIGIL_RATE_BURST: '1000000',
      VIGIL_RPC_ANVIL: rpcUrl,
      VIGIL_CHAIN_ANVIL_CONFIRMATIONS: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let url: string | undefined;
  while (url === undefined) {
    const { value, done } = await lines.next();
    if (done) throw new Error('vigil serve ended before it listened.');
    url = /^Vigil listens on (\S+)/.exec(value)?.[1];
  }
  // Whatever it still prints must not fill the pipe.
  child.stdout.resume();
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  return {
    url,
    async ok<T>(method: string, path: string, body: unknown) {
      const response = await fetch(`${url}/api/v1/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as T;
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
