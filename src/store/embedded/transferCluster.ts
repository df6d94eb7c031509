import { lchown, lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { hasCode } from './hasCode.ts';
import type { Log } from './log.ts';

/** The owner from whom a cluster is being taken over; undefined when nothing of it is left to do. */
export async function readFormerOwner(home: string): Promise<number | undefined> {
  try {
    return Number(await readFile(markerFile(home), 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Hands a cluster that no server runs on to another account; what a killed start began is finished by the next. */
export async function transferCluster(options: {
  home: string;
  cluster: string;
  formerOwner: number;
  account: Account;
  log: Log;
}): Promise<void> {
  const { home, cluster, formerOwner, account, log } = options;
  await writeFile(markerFile(home), String(formerOwner), { mode: 0o600, flush: true });
  await changeOwner(cluster, formerOwner, account);
  await rm(markerFile(home));
  log('Handed the database to an account of its own', { folder: cluster, formerOwner, owner: account.uid });
}

/**
 * Each folder changes hands before it is read, so that the former owner cannot put a link into it meanwhile; what is not the
 * former owner's is left alone.
 */
async function changeOwner(path: string, formerOwner: number, account: Account): Promise<void> {
  const before = await lstat(path);
  if (before.uid === formerOwner) await lchown(path, account.uid, account.gid);
  if (!(await lstat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await changeOwner(join(path, name), formerOwner, account);
}

function markerFile(home: string): string {
  return join(home, 'postgres-former-owner');
}
