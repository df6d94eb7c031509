import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './hasCode.ts';

/** True if a data folder has a database, there or elsewhere; creates nothing. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  const clusters = await Promise.all(
    ['postgres', 'postgres-location'].map((name) => exists(join(dataDir, name))),
  );
  return clusters.includes(true);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}
