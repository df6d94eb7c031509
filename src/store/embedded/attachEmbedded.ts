import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { findAccount } from './account.ts';
import { type Connections, connectionsAt, probe } from './connection.ts';
import { locateCluster } from './locateCluster.ts';
import { findPostmaster } from './postmaster.ts';
import { readPasswords } from './roles.ts';

/** The connections to a bundled server that already runs, so that a command can work beside a running Vigil. */
export async function attachEmbedded(configured: string): Promise<Connections | undefined> {
  if (!existsSync(configured)) return undefined;
  const dataDir = await realpath(configured);
  const { cluster, exists } = await locateCluster(dataDir, await findAccount());
  const postmaster = exists ? await findPostmaster(cluster) : undefined;
  const passwords = await readPasswords(dataDir);
  if (!postmaster || !passwords) return undefined;
  const connections = connectionsAt(postmaster.socketFolder, passwords);
  return (await probe(connections.connection)) === 'ready' ? connections : undefined;
}
