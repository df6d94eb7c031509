import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asAccount, type SystemAccount } from './account.ts';
import { connectionsAt, probe } from './connection.ts';
import { hasCode } from './hasCode.ts';
import type { WriteLog } from './log.ts';
import { type Postmaster, stopPostmaster } from './postmaster.ts';
import type { Binaries } from './provideBinaries.ts';
import { type Passwords, passwordFile } from './roles.ts';

const startTimeoutMs = 120_000;
const maxLogBytes = 10 * 1024 * 1024;

type Launch = {
  binaries: Binaries;
  /** Contains the server's log. */
  dataDir: string;
  cluster: string;
  /** Authentication rules. */
  hbaFile: string;
  passwords: Passwords;
  /** Exists, belongs to the account, and is used by no other server. */
  socketFolder: string;
  account: SystemAccount | undefined;
  settings?: Record<string, string>;
  log: WriteLog;
};

/** Starts the server and waits until it accepts connections. */
export async function launchPostmaster(launch: Launch): Promise<Postmaster> {
  const deadline = performance.now() + startTimeoutMs;
  for (let attempts = 1; ; attempts++) {
    const attempt = await tryLaunch(launch, deadline);
    if ('pid' in attempt) return attempt;
    if (!/shared memory block|lock file/.test(attempt.output) || performance.now() > deadline) {
      throw new Error(`PostgreSQL did not start on ${launch.cluster}:\n${attempt.output}`);
    }
    // Children of a killed server exit one by one.
    if (attempts === 1) launch.log('Waited for the processes of a killed PostgreSQL to exit');
    await sleep(100);
  }
}

async function tryLaunch(launch: Launch, deadline: number): Promise<Postmaster | { output: string }> {
  const sharedMegabytes = await chooseSharedMegabytes(launch.cluster);
  const logFile = await open(join(launch.dataDir, 'postgres.log'), 'a+', 0o600);
  try {
    if ((await logFile.stat()).size > maxLogBytes) await logFile.truncate();
    const logStart = (await logFile.stat()).size;
    const child = spawn(launch.binaries.postgres, toArguments(launch, sharedMegabytes), {
      ...asAccount(launch.account),
      // A process group of its own: Ctrl-C must reach only Vigil, which then shuts the server down.
      detached: true,
      stdio: ['ignore', logFile.fd, logFile.fd],
    });
    await once(child, 'spawn');
    child.unref();
    if (child.pid === undefined) throw new Error('PostgreSQL was started without a process id.');
    const onExit = (listener: () => void) => {
      child.once('exit', listener);
      return () => void child.off('exit', listener);
    };
    const postmaster = { pid: child.pid, socketFolder: launch.socketFolder, onExit };
    while (child.exitCode === null && child.signalCode === null) {
      if (await isReady(postmaster, launch, deadline)) return postmaster;
      await sleep(20);
    }
    return { output: await readTail(logFile, logStart) };
  } finally {
    await logFile.close();
  }
}

function toArguments(
  { cluster, socketFolder, hbaFile, settings }: Launch,
  sharedMegabytes: number,
): string[] {
  const all = {
    listen_addresses: '',
    hba_file: hbaFile,
    unix_socket_directories: `"${socketFolder}"`,
    unix_socket_permissions: '0700',
    port: '5432',
    max_connections: '80',
    shared_buffers: `${sharedMegabytes}MB`,
    // Most reads are from the system's cache, for which handing them to other processes costs more than it saves.
    io_method: 'sync',
    jit: 'off',
    // The processes beside the sessions wake up less often; a commit does not wait for any of them.
    bgwriter_delay: '2s',
    bgwriter_lru_maxpages: '1000',
    wal_writer_delay: '2s',
    max_logical_replication_workers: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Errors of statements go to their caller; here they could carry tenants' data and grow without bound.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...settings,
  };
  return ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/**
 * Room for twice the data, up to an eighth of the memory. PostgreSQL needs 2 % of it from the start. Totals over years of alerts
 * read most pages, which are copied from the system's cache if they do not fit.
 */
async function chooseSharedMegabytes(cluster: string): Promise<number> {
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const eighth = Math.min(totalmem(), limit) / 2 ** 23;
  const wanted = Math.max(leastMegabytes, (2 * (await sizeOf(join(cluster, 'base')))) / 2 ** 20);
  return Math.floor(Math.max(128, Math.min(8192, eighth, wanted)));
}

/** Many months of a small installation. */
const leastMegabytes = 512;

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { withFileTypes: true, recursive: true });
  const sizes = await Promise.all(
    files.map(async (file) => {
      // PostgreSQL of before may still remove files.
      const stats = file.isFile()
        ? await stat(join(file.parentPath, file.name)).catch(() => undefined)
        : undefined;
      return stats?.size ?? 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function isReady(
  postmaster: Postmaster,
  { cluster, dataDir, passwords }: Launch,
  deadline: number,
): Promise<boolean> {
  try {
    const { connection } = connectionsAt(postmaster.socketFolder, passwords);
    if ((await probe(connection)) === 'ready') return true;
    if (performance.now() < deadline) return false;
    throw new Error(`PostgreSQL on ${cluster} was not ready after ${startTimeoutMs / 1000} s`);
  } catch (error) {
    await stopPostmaster(postmaster, cluster);
    if (!hasCode(error, '28P01')) throw error;
    throw new Error(
      `The password in ${passwordFile(dataDir)} is not that of the database in ${cluster}: ` +
        'put the right file back, or delete it, and the next start sets other passwords',
      { cause: error },
    );
  }
}

async function readTail(logFile: FileHandle, from: number): Promise<string> {
  const { size } = await logFile.stat();
  const start = Math.max(from, size - 4096);
  const { buffer, bytesRead } = await logFile.read(Buffer.alloc(size - start), 0, size - start, start);
  return buffer.toString('utf8', 0, bytesRead).trim();
}
