import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canEnter, type SystemAccount, sharedAccount } from './account.ts';
import { hasCode } from './hasCode.ts';
import type { WriteLog } from './log.ts';
import { passwordFile } from './roles.ts';
import { readFormerOwner } from './transferCluster.ts';

/** For clusters whose data folder PostgreSQL's account cannot enter. */
const refuge = '/var/lib/vigil';

/** `home` holds the cluster and a copy of the programs if one is needed; a strange home has to be remembered. */
type Location = {
  home: string;
  cluster: string;
  exists: boolean;
  isRecorded: boolean;
  /** Owner of files that must be handed to the account first. */
  formerOwner: number | undefined;
};

export async function locateCluster(dataDir: string, account: SystemAccount | undefined): Promise<Location> {
  const remembered = await readIfThere(pointerIn(dataDir));
  const cluster = remembered ?? join(await chooseHome(dataDir, account), 'postgres');
  const owner = await ownerOf(cluster);
  if (owner === undefined && remembered !== undefined) {
    throw new Error(
      `The database of data folder ${dataDir} should lie in ${cluster}, but nothing is there: restore it, or delete ` +
        `${pointerIn(dataDir)} to begin with an empty database`,
    );
  }
  const runsAs = account?.uid ?? process.geteuid?.();
  const home = dirname(cluster);
  const formerOwner =
    account && owner !== undefined ? await findFormerOwner({ dataDir, home, owner, account }) : undefined;
  if (owner !== undefined && owner !== runsAs && owner !== formerOwner) {
    throw new Error(
      `The database in ${cluster} belongs to uid ${owner}, but PostgreSQL would run as uid ${runsAs}: ` +
        'start Vigil as the user who started it before, or set VIGIL_DATA_DIR to another folder',
    );
  }
  return {
    home,
    cluster,
    exists: owner !== undefined,
    formerOwner,
    isRecorded: remembered !== undefined || home === dataDir,
  };
}

/**
 * Root's databases of before belong to the account that everything unprivileged shares; and where the system was
 * reinstalled around a data folder, PostgreSQL's account may have got another number, but the password is still
 * root's.
 */
async function findFormerOwner(options: {
  dataDir: string;
  home: string;
  owner: number;
  account: SystemAccount;
}): Promise<number | undefined> {
  const { dataDir, home, owner, account } = options;
  const interrupted = await readFormerOwner(home);
  if (interrupted !== undefined) return interrupted;
  if (owner === account.uid) return undefined;
  const isRoots = owner === (await sharedAccount()).uid || (await ownerOf(passwordFile(dataDir))) === 0;
  return isRoots ? owner : undefined;
}

/** Written only when the cluster is complete, so a pointer to nothing always means a lost cluster. */
export async function recordCluster(options: {
  dataDir: string;
  cluster: string;
  log: WriteLog;
}): Promise<void> {
  const { dataDir, cluster, log } = options;
  await rename(partialPointerIn(dataDir), pointerIn(dataDir));
  log('Placed the database outside of the data folder, which the account of PostgreSQL cannot enter', {
    dataDir,
    database: cluster,
  });
}

function pointerIn(dataDir: string): string {
  return join(dataDir, 'postgres-location');
}

function partialPointerIn(dataDir: string): string {
  return `${pointerIn(dataDir)}.partial`;
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function chooseHome(dataDir: string, account: SystemAccount | undefined): Promise<string> {
  const isReachable = !account || existsSync(join(dataDir, 'postgres')) || (await canEnter(dataDir, account));
  return isReachable ? dataDir : createHome(dataDir);
}

async function createHome(dataDir: string): Promise<string> {
  // A start that failed or was killed may have created one.
  const partial = await readIfThere(partialPointerIn(dataDir));
  if (partial !== undefined && existsSync(dirname(partial))) return dirname(partial);
  try {
    if ((await mkdir(refuge, { recursive: true })) !== undefined) await chmod(refuge, 0o711);
    const home = await mkdtemp(join(refuge, 'data-'));
    await chmod(home, 0o711);
    await writeFile(partialPointerIn(dataDir), `${join(home, 'postgres')}\n`, { flush: true });
    return home;
  } catch (cause) {
    throw new Error(
      `PostgreSQL does not run as root, the account it runs under cannot enter ${dataDir}, and ${refuge} cannot be ` +
        'used instead: set VIGIL_DATA_DIR to a folder that everybody may enter, or DATABASE_URL to a PostgreSQL >= 15',
      { cause },
    );
  }
}

async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).uid;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
