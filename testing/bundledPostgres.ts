import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type PoolConfig } from 'pg';
import { outsideDatabaseOf } from './outsideDatabases.ts';

export async function postmasterOf(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Connection settings of the database of a data folder, which is on the bundled server unless the run has another one. */
export async function databaseOf(dataDir: string): Promise<PoolConfig> {
  const outside = outsideDatabaseOf(dataDir);
  if (outside) return outside.config;
  const host = await socketFolderOf(dataDir);
  const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
  return { host, port: 5432, user: 'vigil', password, database: 'vigil' };
}

/** Runs one statement on that database, also while its Vigil is dead. */
export async function runStatement(dataDir: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(await databaseOf(dataDir));
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

export async function socketFolderOf(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[4]!;
}

/** The process ids of the postmaster and its children. */
export async function postgresProcesses(dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 1);
  const here = await Promise.all(
    pids.map(async (pid) => {
      // The process has exited, or is a kernel thread.
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
