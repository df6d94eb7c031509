import { execFile } from 'node:child_process';
import { chown, mkdtemp, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asAccount, type SystemAccount } from './account.ts';
import type { WriteLog } from './log.ts';
import type { Binaries } from './provideBinaries.ts';

const prefix = 'postgres.partial-';

/** Creates the cluster under a temporary name and renames it when complete, so a killed start leaves no partial one. */
export async function createCluster(options: {
  binaries: Binaries;
  home: string;
  cluster: string;
  account: SystemAccount | undefined;
  log: WriteLog;
}): Promise<void> {
  const { binaries, home, cluster, account, log } = options;
  const startedAt = performance.now();
  await removePartial(home);
  await refuseFullDisk(home);
  // A new name: an initdb that outlived a killed Vigil may still write into the previous folder.
  const partial = await mkdtemp(join(home, prefix));
  if (account) await chown(partial, account.uid, account.gid);
  await runInitdb(binaries.initdb, partial, account);
  await rename(partial, cluster);
  log('Created the database cluster', {
    folder: cluster,
    durationMs: Math.round(performance.now() - startedAt),
  });
}

async function removePartial(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith(prefix)) await rm(join(home, name), { recursive: true, maxRetries: 5 });
  }
}

/** Twice what a new database takes once Vigil has made its tables. */
const minFreeMegabytes = 200;

/** A disk that fills up later, while tables are made, would leave half a database. */
async function refuseFullDisk(home: string): Promise<void> {
  const { bavail, bsize } = await statfs(home);
  const free = Math.floor((bavail * bsize) / 2 ** 20);
  if (free < minFreeMegabytes)
    throw new Error(
      `A new database needs ${minFreeMegabytes} MB, but ${home} has ${free} MB free: ` +
        'free some, or set VIGIL_DATA_DIR to a folder on another disk',
    );
}

async function runInitdb(initdb: string, folder: string, account: SystemAccount | undefined): Promise<void> {
  const args = [
    ['--pgdata', folder, '--username=vigil', '--data-checksums', '--no-instructions'],
    // Vigil starts the server with its own rules; a server started without them must reject everyone.
    ['--auth-local=reject', '--auth-host=reject'],
    // The builtin provider sorts by code point and folds case by Unicode, alike on every system.
    ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ];
  try {
    await promisify(execFile)(initdb, args.flat(), asAccount(account));
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL could not create its cluster in ${folder}: ${String(cause).trim()}`, {
      cause,
    });
  }
}
