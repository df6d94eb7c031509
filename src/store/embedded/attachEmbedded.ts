import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { findAccount } from './account.ts';
import { type Connection, connectionAt, probe } from './connection.ts';
import { locateCluster } from './locateCluster.ts';
import { readPassword } from './password.ts';
import { findPostmaster } from './postmaster.ts';

/** The connection to a bundled server that already runs, so that a command can work beside a running Vigil. */
export async function attachEmbedded(configured: string): Promise<Connection | undefined> {
  if (!existsSync(configured)) return undefined;
  const dataDir = await realpath(configured);
  const { cluster, exists } = await locateCluster(dataDir, await findAccount());
  const postmaster = exists ? await findPostmaster(cluster) : undefined;
  if (!postmaster) return undefined;
  const connection = connectionAt(postmaster.socketFolder, await readPassword(dataDir));
  return (await probe(connection)) === 'ready' ? connection : undefined;
}
