import { execFile } from 'node:child_process';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { asAccount, type SystemAccount } from './account.ts';
import { hasCode } from './hasCode.ts';

/** Folders of a major version's programs, by packages and by a build from source. */
const foldersOf = (major: string) => [
  `/usr/lib/postgresql/${major}/bin`,
  `/usr/pgsql-${major}/bin`,
  '/usr/local/pgsql/bin',
  '/usr/local/bin',
  '/usr/bin',
];

/**
 * The folder of a system PostgreSQL with the bundled major version and a newer minor one, for its fixes. Only programs
 * that nobody but root can change count.
 */
export async function findSystem(
  bundled: string,
  account: SystemAccount | undefined,
  folders: readonly string[] = foldersOf(bundled.split('.')[0] ?? ''),
): Promise<{ folder: string; version: string } | undefined> {
  let newest: { folder: string; version: string } | undefined;
  for (const folder of new Set(await Promise.all(folders.map(realFolder)))) {
    if (folder === undefined || !(await isRootsOnly(folder))) continue;
    const version = await readVersion(join(folder, 'postgres'), account);
    if (version !== undefined && isNewerMinor(version, newest?.version ?? bundled))
      newest = { folder, version };
  }
  return newest;
}

/** Of two versions such as 18.6 and 18.4. */
function isNewerMinor(version: string, than: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  const [otherMajor, otherMinor] = than.split('.').map(Number);
  return major === otherMajor && minor !== undefined && otherMinor !== undefined && minor > otherMinor;
}

/** The folder of the program itself, which a link may name. */
async function realFolder(folder: string): Promise<string | undefined> {
  try {
    return dirname(await realpath(join(folder, 'postgres')));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return undefined;
    throw error;
  }
}

async function isRootsOnly(folder: string): Promise<boolean> {
  const paths = ['postgres', 'initdb'].map((program) => join(folder, program));
  for (let path = folder; ; path = dirname(path)) {
    paths.push(path);
    if (dirname(path) === path) break;
  }
  const stats = await Promise.allSettled(paths.map((path) => lstat(path)));
  return stats.every(
    (candidate) =>
      candidate.status === 'fulfilled' &&
      !candidate.value.isSymbolicLink() &&
      candidate.value.uid === 0 &&
      (candidate.value.mode & 0o022) === 0,
  );
}

async function readVersion(program: string, account: SystemAccount | undefined): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)(program, ['--version'], asAccount(account)).catch(() => ({
    stdout: '',
  }));
  return /^postgres \(PostgreSQL\) (\d+\.\d+)/.exec(stdout)?.[1];
}
