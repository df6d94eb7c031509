import type { SpawnOptions } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export type Account = { uid: number; gid: number };

/** PostgreSQL refuses to run as root, so root lends it an account that may do nothing else; anybody else runs it himself. */
export async function findAccount(): Promise<Account | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  const [, , uid, gid] = lines.find((line) => line.startsWith('nobody:'))?.split(':') ?? [];
  return { uid: toUnsigned(uid ?? '65534'), gid: toUnsigned(gid ?? '65534') };
}

/** Runs a program as the account, with nothing of our environment in the way (PGDATA, PGPORT, TZ …). */
export function asAccount(account: Account | undefined): Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  const common = { cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } };
  // Setting a uid also empties the supplementary groups of the child; spawn wants signed numbers.
  return account ? { ...common, uid: account.uid | 0, gid: account.gid | 0 } : common;
}

/** Whether the account may enter a folder: every folder on the way to it has to let it through. */
export async function canEnter(folder: string, account: Account): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder);
  const execute = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & execute) === 0) return false;
  return dirname(folder) === folder || canEnter(dirname(folder), account);
}

/** macOS lists `nobody` as -2, which stat shows as 4294967294. */
function toUnsigned(id: string): number {
  return Number(id) >>> 0;
}
