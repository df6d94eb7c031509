import { chown, lstat, mkdir, mkdtemp, realpath, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { canEnter, type SystemAccount } from './account.ts';
import { hasCode } from './hasCode.ts';

/**
 * A private folder for PostgreSQL's socket, new for every launch, so that nobody prepared it. It lies in the temporary
 * folder because a socket's path may have about 100 bytes.
 */
export async function createSocketFolder(account: SystemAccount | undefined): Promise<string> {
  const folder = await mkdtemp(join(await chooseParent(account), 'vigil-'));
  if (account) await chown(folder, account.uid, account.gid);
  return folder;
}

/** The path comes from a file that PostgreSQL's account can write: follow no link and trust no other user's folder. */
export async function isPrivateFolder(folder: string, account: SystemAccount | undefined): Promise<boolean> {
  try {
    const { mode, uid } = await lstat(folder);
    return mode === 0o040700 && uid === (account?.uid ?? process.geteuid?.());
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Reuses the folder of a server that exited for its replacement, because clients reconnect to the same path. */
export async function restoreSocketFolder(folder: string, account: SystemAccount | undefined): Promise<void> {
  if (await isPrivateFolder(folder, account)) return removeSockets(folder);
  await mkdir(folder, { mode: 0o700 });
  if (account) await chown(folder, account.uid, account.gid);
}

export async function removeSocketFolder(folder: string): Promise<void> {
  if (!/^vigil-\w{6}$/.test(basename(folder))) return;
  try {
    await removeSockets(folder);
    await rmdir(folder);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY')) throw error;
  }
}

async function removeSockets(folder: string): Promise<void> {
  for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']) await rm(join(folder, name), { force: true });
}

async function chooseParent(account: SystemAccount | undefined): Promise<string> {
  const temporary = await realpath(tmpdir());
  const isShort = Buffer.byteLength(temporary) <= 60;
  return isShort && (!account || (await canEnter(temporary, account))) ? temporary : '/tmp';
}
