import { Client } from 'pg';
import { findAccount } from './account.ts';
import { attachEmbedded } from './attachEmbedded.ts';
import { findPackage } from './findPackage.ts';
import { findSystem } from './findSystem.ts';

/** The release of the bundled server that runs on a data folder, or of the one that the next start would run. */
export async function readEmbeddedRelease(dataDir: string): Promise<string> {
  const connections = await attachEmbedded(dataDir);
  if (!connections) {
    const { release } = await findPackage();
    return (await findSystem(release, await findAccount()))?.version ?? release;
  }
  const client = new Client(connections.connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '';
  } finally {
    await client.end();
  }
}
