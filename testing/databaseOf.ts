import { Client, type PoolConfig } from 'pg';
import { connectionsAt } from '../src/store/embedded/connection.ts';
import { readPasswords } from '../src/store/embedded/roles.ts';
import { socketFolderOf } from './bundledPostgres.ts';
import { outsideDatabaseOf } from './outsideDatabases.ts';

/** How Vigil connects to the database of a data folder, which is on the bundled server unless the run has another one. */
export async function databaseOf(dataDir: string): Promise<PoolConfig> {
  const outside = outsideDatabaseOf(dataDir);
  if (outside) return outside.config;
  const passwords = await readPasswords(dataDir);
  if (!passwords) throw new Error(`The database of ${dataDir} has no roles.`);
  return connectionsAt(await socketFolderOf(dataDir), passwords).connection;
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
