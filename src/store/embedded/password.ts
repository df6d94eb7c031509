import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, asAccount } from './account.ts';
import { hasCode } from './hasCode.ts';
import type { Log } from './log.ts';
import type { Binaries } from './provideBinaries.ts';

const patienceMs = 120_000;

/**
 * The password of the cluster's only role, kept where only Vigil can read it. The file exists only when the cluster
 * has the password; its absence shows a server that was started without.
 */
export async function readPassword(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(passwordFile(dataDir), 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Sets a password for a stopped cluster that has none. A killed start is repeated. */
export async function ensurePassword(options: {
  binaries: Binaries;
  dataDir: string;
  cluster: string;
  account: Account | undefined;
  log: Log;
}): Promise<string> {
  const { dataDir, log } = options;
  const existing = await readPassword(dataDir);
  if (existing !== undefined) return existing;
  const password = randomBytes(32).toString('hex');
  const partial = `${passwordFile(dataDir)}.partial`;
  await rm(partial, { force: true });
  await writeFile(partial, `${password}\n`, { mode: 0o600, flush: true });
  await setPassword(options, password);
  await rename(partial, passwordFile(dataDir));
  log('Set a password for the database', { file: passwordFile(dataDir) });
  return password;
}

/** For a new cluster: the password of its predecessor is useless. */
export async function deletePassword(dataDir: string): Promise<void> {
  await rm(passwordFile(dataDir), { force: true });
}

export function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres-password');
}

/**
 * In single-user mode, so no server ever accepts a connection without a password. Nobody guesses 256 random bits, so deriving a key from
 * them many times would only make every connection slower.
 */
async function setPassword(
  { binaries, cluster, account }: { binaries: Binaries; cluster: string; account: Account | undefined },
  password: string,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const child = spawn(
      binaries.postgres,
      ['--single', '-c', 'scram_iterations=1', '-D', cluster, 'postgres'],
      {
        ...asAccount(account),
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    );
    child.stdin.on('error', () => {});
    child.stdin.end(`alter role vigil password '${password}';\n`);
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    if (code === 0 && !/ERROR|FATAL|PANIC/.test(output)) return;
    // Children of a killed server exit one by one.
    if (!/shared memory block|lock file/.test(output) || performance.now() > deadline)
      throw new Error(`PostgreSQL did not take a password for ${cluster}:\n${output.trim()}`);
    await sleep(100);
  }
}
