import { execFile } from 'node:child_process';
import {
  chmod,
  constants,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { asAccount, type SystemAccount } from './account.ts';
import type { NativePackage } from './findPackage.ts';
import { findSystem } from './findSystem.ts';
import type { WriteLog } from './log.ts';

/** `origin` is the folder of the system's PostgreSQL, or `bundled`. */
export type Binaries = { initdb: string; postgres: string; origin: string };

const prefix = 'postgres-binaries-';

/**
 * The programs in a folder that the account can run: the system's if newer than the bundled, else the installed
 * package. Packages below a 0700 home, or without library links, are copied.
 */
export async function provideBinaries(options: {
  nativePackage: NativePackage;
  home: string;
  account: SystemAccount | undefined;
  /** Folders of the system's own programs; the usual ones by default. */
  systemFolders?: readonly string[] | undefined;
  log: WriteLog;
}): Promise<Binaries> {
  const { nativePackage, home, account, systemFolders, log } = options;
  const system = await findSystem(nativePackage.release, account, systemFolders);
  if (system) return programsIn(system.folder, system.folder);
  const copy = join(home, prefix + nativePackage.version);
  const installed = binariesIn(nativePackage.folder);
  const copied = binariesIn(copy);
  if ((await findRunError(installed, account)) === undefined) return installed;
  if ((await findRunError(copied, account)) === undefined) return copied;

  await removeCopies(home);
  await copyTree(nativePackage.folder, `${copy}.partial`);
  await makeLinks(`${copy}.partial`);
  await rename(`${copy}.partial`, copy);
  const reason = await findRunError(copied, account);
  if (reason !== undefined) {
    await removeCopies(home);
    throw new Error(
      'The bundled PostgreSQL does not run on this system: set DATABASE_URL to a PostgreSQL >= 15, or remove the ' +
        `cause${account ? `, as seen by uid ${account.uid}` : ''}: ${reason.message.trim()}`,
      { cause: reason },
    );
  }
  log('Copied the PostgreSQL programs to a folder where they can run', { folder: copy });
  return copied;
}

function binariesIn(folder: string): Binaries {
  return programsIn(join(folder, 'bin'), 'bundled');
}

function programsIn(folder: string, origin: string): Binaries {
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), origin };
}

/** Running them is the one test that sees permissions, library links and mount options alike. */
async function findRunError(
  binaries: Binaries,
  account: SystemAccount | undefined,
): Promise<Error | undefined> {
  const run = promisify(execFile);
  const programs = [binaries.initdb, binaries.postgres];
  const results = await Promise.allSettled(
    programs.map((program) => run(program, ['--version'], asAccount(account))),
  );
  return results.find((result) => result.status === 'rejected')?.reason;
}

/** No server of this cluster runs now, so copies of other versions and unfinished ones are not needed. */
async function removeCopies(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith(prefix)) await rm(join(home, name), { recursive: true });
  }
}

/** Sets modes instead of copying them: the checkout may have a restrictive umask. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, ((await lstat(source)).mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  }
}

/** Does what the package's install script does, for those who install without scripts. */
async function makeLinks(folder: string): Promise<void> {
  const list: { source: string; target: string }[] = JSON.parse(
    await readFile(join(folder, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of list) {
    const link = join(folder, target.replace(/^native\//, ''));
    await rm(link, { force: true });
    await symlink(basename(source), link);
  }
}
