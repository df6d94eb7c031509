import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { SystemAccount } from './account.ts';
import { hasCode } from './hasCode.ts';
import { isPrivateFolder, removeSocketFolder } from './socketFolder.ts';

const fastMs = 10_000;
const immediateMs = 8000;

/** A running server: PostgreSQL's first process. */
export type Postmaster = {
  pid: number;
  socketFolder: string;
  /** Calls back when it exits, until the returned function is called; absent if it is no child of this process. */
  onExit?: (listener: () => void) => () => void;
};

/** The server that runs on a cluster. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const noted = await readPidFile(cluster);
  return noted && (await isPostmaster(noted.pid, cluster)) ? noted : undefined;
}

/**
 * Fast shutdown: rolls back open transactions and writes everything out. If that does not end the server, as on a full
 * disk, it stops at once; the next start recovers all committed data.
 */
export async function stopPostmaster(postmaster: Postmaster, cluster: string): Promise<void> {
  const { pid, socketFolder } = postmaster;
  if (
    !(await isGoneAfter('SIGINT', fastMs, pid, cluster)) &&
    !(await isGoneAfter('SIGQUIT', immediateMs, pid, cluster))
  )
    throw new Error(`PostgreSQL (process ${pid}) on ${cluster} does not stop`);
  await removeSocketFolder(socketFolder);
}

/**
 * Cleans up after a killed server. PostgreSQL overrides its pid file except when another process of the account has
 * that pid; a surviving child is recognised by its shared memory.
 */
export async function clearStale(cluster: string, account: SystemAccount | undefined): Promise<void> {
  const noted = await clearStalePid(cluster);
  if (noted && (await isPrivateFolder(noted.socketFolder, account)))
    await removeSocketFolder(noted.socketFolder);
}

/** Keeps the socket folder for the replacement server. */
export async function clearStalePid(cluster: string): Promise<Postmaster | undefined> {
  const noted = await readPidFile(cluster);
  if (!noted || (await isPostmaster(noted.pid, cluster))) return undefined;
  if (isAlive(noted.pid)) await rm(pidFile(cluster));
  return noted;
}

function pidFile(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

async function readPidFile(cluster: string): Promise<Postmaster | undefined> {
  try {
    const lines = (await readFile(pidFile(cluster), 'utf8')).split('\n');
    const pid = Number(lines[0]);
    return Number.isSafeInteger(pid) && pid > 1 ? { pid, socketFolder: lines[4] ?? '' } : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function isGoneAfter(
  signal: NodeJS.Signals,
  patienceMs: number,
  pid: number,
  cluster: string,
): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  if (await isPostmaster(pid, cluster)) sendSignal(pid, signal);
  while (await isPostmaster(pid, cluster)) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

/** The server may have ended by itself since it was seen. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** A pid in a file proves nothing: it must be a PostgreSQL whose working directory is this folder. */
export async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') return (await commandOf(pid)).includes(cluster);
  try {
    // At once: the kernel answers from memory, and handing five questions a second to other threads costs more than all of them.
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8');
    const its = statSync(`/proc/${pid}/cwd`);
    const ours = await stat(cluster);
    return name === 'postgres\n' && its.dev === ours.dev && its.ino === ours.ino;
  } catch (error) {
    // Exited, a zombie, or of another user.
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES')) return false;
    throw error;
  }
}

async function commandOf(pid: number): Promise<string> {
  const args = ['-ww', '-o', 'command=', '-p', String(pid)];
  try {
    return (await promisify(execFile)('ps', args)).stdout;
  } catch (error) {
    if (isAlive(pid)) throw error;
    return '';
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}
