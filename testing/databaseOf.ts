import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type PoolConfig } from 'pg';
import { socketFolderOf } from './bundledPostgres.ts';
import { outsideDatabaseOf } from './outsideDatabases.ts';

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
