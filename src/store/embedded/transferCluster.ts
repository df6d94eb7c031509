import { lchown, lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SystemAccount } from './account.ts';
import { hasCode } from './hasCode.ts';
import type { WriteLog } from './log.ts';

/** The previous owner of a cluster whose transfer is not complete; undefined if none is pending. */
export async function readFormerOwner(home: string): Promise<number | undefined> {
  try {
    return Number(await readFile(markerFile(home), 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Transfers a stopped cluster to another account; the next start completes an interrupted transfer. */
export async function transferCluster(options: {
  home: string;
  cluster: string;
  formerOwner: number;
  account: SystemAccount;
  log: WriteLog;
}): Promise<void> {
  const { home, cluster, formerOwner, account, log } = options;
  await writeFile(markerFile(home), String(formerOwner), { mode: 0o600, flush: true });
  await changeOwner(cluster, formerOwner, account);
  await rm(markerFile(home));
  log('Transferred the database to its own account', { folder: cluster, formerOwner, owner: account.uid });
}

/**
 * Changes the owner of each folder before reading it, so the former owner cannot place a link into it. Skips files of
 * other owners.
 */
async function changeOwner(path: string, formerOwner: number, account: SystemAccount): Promise<void> {
  const before = await lstat(path);
  if (before.uid === formerOwner) await lchown(path, account.uid, account.gid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await changeOwner(join(path, name), formerOwner, account);
}

function markerFile(home: string): string {
  return join(home, 'postgres-former-owner');
}
