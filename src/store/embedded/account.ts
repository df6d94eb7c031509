import { execFile, type SpawnOptions } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { WriteLog } from './log.ts';

export type SystemAccount = { uid: number; gid: number };

/** A system account that nothing else runs under. */
const ownName = 'vigil-postgres';
const sharedName = 'nobody';

/** PostgreSQL refuses to run as root, so root runs it under an unprivileged account; other users run it themselves. */
export async function ensureAccount(log: WriteLog): Promise<SystemAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const existing = await readAccount(ownName);
  if (existing) return existing;
  try {
    return await createAccount(log);
  } catch (error) {
    log(
      `PostgreSQL runs as ${sharedName}, whose other processes can read its files: ` +
        `the account ${ownName} could not be created. Create it with: useradd --system ${ownName}`,
      { err: error },
      'warn',
    );
    return sharedAccount();
  }
}

/** The account of a running server; creates none. */
export async function findAccount(): Promise<SystemAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  return (await readAccount(ownName)) ?? sharedAccount();
}

/** The account that PostgreSQL used before it had one of its own. */
export async function sharedAccount(): Promise<SystemAccount> {
  return (await readAccount(sharedName)) ?? { uid: 65_534, gid: 65_534 };
}

/** Another process may be creating it too; useradd locks its files, so this one retries. */
async function createAccount(log: WriteLog): Promise<SystemAccount> {
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  for (let attempt = 1; ; attempt++) {
    try {
      await promisify(execFile)('useradd', [...options, '--shell', '/usr/sbin/nologin', ownName], {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      });
      log('Created a system account for PostgreSQL', { account: ownName });
    } catch (error) {
      if (attempt === 10 || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
        throw error;
    }
    const account = await readAccount(ownName);
    if (account) return account;
    await sleep(100);
  }
}

/** PostgreSQL reads the same file. */
async function readAccount(name: string): Promise<SystemAccount | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  if (uid === undefined || gid === undefined || Number(uid) === 0) return undefined;
  return { uid: toUnsigned(uid), gid: toUnsigned(gid) };
}

/** Runs a program as the account, without the environment of this process (PGDATA, PGPORT, TZ …). */
export function asAccount(
  account: SystemAccount | undefined,
): Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  const common = { cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } };
  // Setting a uid also empties the supplementary groups of the child; spawn wants signed numbers.
  return account ? { ...common, uid: account.uid | 0, gid: account.gid | 0 } : common;
}

/** True if the account may enter a folder: every folder above it must permit it too. */
export async function canEnter(folder: string, account: SystemAccount): Promise<boolean> {
  const { mode, uid, gid } = await stat(folder);
  const execute = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & execute) === 0) return false;
  return dirname(folder) === folder || canEnter(dirname(folder), account);
}

/** macOS lists `nobody` as -2, which stat shows as 4294967294. */
function toUnsigned(id: string): number {
  return Number(id) >>> 0;
}
