import { access, chmod, constants, mkdir, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureAccount, type SystemAccount } from './account.ts';
import { type Connections, connectionsAt, probe } from './connection.ts';
import { createCluster } from './createCluster.ts';
import { deletePasswords, ensureRoles } from './ensureRoles.ts';
import { findPackage, type NativePackage } from './findPackage.ts';
import { launchPostmaster } from './launchPostmaster.ts';
import { locateCluster, recordCluster } from './locateCluster.ts';
import { lockDataFolder } from './lockDataFolder.ts';
import type { WriteLog } from './log.ts';
import { clearStale, clearStalePid, findPostmaster, type Postmaster, stopPostmaster } from './postmaster.ts';
import { provideBinaries } from './provideBinaries.ts';
import { type Passwords, readPasswords, roles } from './roles.ts';
import {
  createSocketFolder,
  isPrivateFolder,
  removeSocketFolder,
  restoreSocketFolder,
} from './socketFolder.ts';
import { supervise } from './supervise.ts';
import { transferCluster } from './transferCluster.ts';

/** For `pg.Pool`: the folder of the Unix socket as host. */
export type Embedded = Connections & {
  /** The folder of the cluster; outside of the data folder if PostgreSQL's account cannot enter that. */
  dataFolder: string;
  /** `bundled`, or the folder of the system's PostgreSQL; unknown of a server that a previous Vigil left running. */
  origin: string | undefined;
  /** Resolves when the server exited and could not be restarted. */
  lost: Promise<Error>;
  /** Fast shutdown; resolves when the server has exited and the data folder is unlocked. */
  stop(): Promise<void>;
};

type Options = {
  dataDir: string;
  log: WriteLog;
  /** Additional server settings, for example `fsync: 'off'` where the data may be lost. */
  settings?: Record<string, string>;
  /** Folders where the system may have a newer PostgreSQL; the usual ones by default. */
  systemFolders?: readonly string[];
};

/**
 * Starts the bundled PostgreSQL on a data folder, or adopts the one that a killed Vigil left running on it, and
 * restarts it when it exits unexpectedly.
 */
export async function startEmbedded(options: Options): Promise<Embedded> {
  const nativePackage = await findPackage();
  const account = await ensureAccount(options.log);
  const dataDir = await prepareDataFolder(options.dataDir, account);
  const lock = await lockDataFolder(dataDir);
  try {
    const server = await runServer({ ...options, nativePackage, account, dataDir });
    const supervisor = supervise({ ...server, log: options.log });
    let stopping: Promise<void> | undefined;
    return {
      ...connectionsAt(server.postmaster.socketFolder, server.passwords),
      dataFolder: server.cluster,
      origin: server.origin,
      lost: supervisor.lost,
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };

    async function stop(): Promise<void> {
      await supervisor.stop();
      await stopPostmaster(supervisor.current(), server.cluster);
      await lock.release();
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function prepareDataFolder(configured: string, account: SystemAccount | undefined): Promise<string> {
  try {
    const created = await mkdir(configured, { recursive: true });
    const dataDir = await realpath(configured);
    // Sets the mode only of a folder created here: an existing one may be a user's home.
    if (created !== undefined) await chmod(dataDir, account ? 0o711 : 0o700);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return dataDir;
  } catch (cause) {
    throw new Error(
      `The data folder ${configured} cannot be used: ` +
        `set VIGIL_DATA_DIR to a folder that this user may write (${String(cause)})`,
      { cause },
    );
  }
}

async function runServer(
  options: Options & { nativePackage: NativePackage; account: SystemAccount | undefined },
): Promise<{
  cluster: string;
  passwords: Passwords;
  origin: string | undefined;
  postmaster: Postmaster;
  relaunch: () => Promise<Postmaster>;
}> {
  const { dataDir, account, log } = options;
  const location = await locateCluster(dataDir, account);
  const { cluster } = location;
  const hbaFile = join(location.home, 'postgres-hba.conf');
  // A server that another account owns, or whose superuser can connect, must not continue.
  const known = location.formerOwner === undefined ? await readPasswords(dataDir) : undefined;
  const orphan = await adoptOrphan(cluster, account, known, log);
  const { postmaster, passwords, origin } =
    orphan && known !== undefined
      ? { postmaster: orphan, passwords: known, origin: undefined }
      : await launch();
  return { cluster, passwords, origin, postmaster, relaunch };

  async function launch(): Promise<{ postmaster: Postmaster; passwords: Passwords; origin: string }> {
    const binaries = await provideBinaries({ ...options, ...location });
    if (!location.exists) {
      await deletePasswords(dataDir);
      await createCluster({ ...location, binaries, account, log });
    }
    const { formerOwner } = location;
    if (account && formerOwner !== undefined)
      await transferCluster({ ...location, formerOwner, account, log });
    if (!location.isRecorded) await recordCluster({ dataDir, cluster, log });
    await clearStale(cluster, account);
    const passwords = await ensureRoles({ ...options, binaries, cluster, isNew: !location.exists });
    await writeHba(hbaFile);
    const socketFolder = await createSocketFolder(account);
    try {
      const launched = { ...options, binaries, cluster, socketFolder, hbaFile, passwords };
      return { postmaster: await launchPostmaster(launched), passwords, origin: binaries.origin };
    } catch (error) {
      await removeSocketFolder(socketFolder);
      throw error;
    }
  }

  async function relaunch(): Promise<Postmaster> {
    const { socketFolder } = postmaster;
    const binaries = await provideBinaries({ ...options, ...location });
    await clearStalePid(cluster);
    await restoreSocketFolder(socketFolder, account);
    return launchPostmaster({ ...options, binaries, cluster, socketFolder, hbaFile, passwords });
  }
}

/** Beside the cluster and not in it, so PostgreSQL's account cannot change it. */
async function writeHba(file: string): Promise<void> {
  const rule = `local vigil ${Object.values(roles).join(',')} scram-sha-256\n`;
  await writeFile(`${file}.partial`, rule, { mode: 0o644, flush: true });
  await chmod(`${file}.partial`, 0o644);
  await rename(`${file}.partial`, file);
}

/** We hold the lock, so a server that still runs on the cluster has lost its Vigil. */
async function adoptOrphan(
  cluster: string,
  account: SystemAccount | undefined,
  passwords: Passwords | undefined,
  log: WriteLog,
): Promise<Postmaster | undefined> {
  const orphan = await findPostmaster(cluster);
  if (!orphan) return undefined;
  const { pid } = orphan;
  if (passwords !== undefined && (await isUsable(orphan, account, passwords))) {
    log('Adopted the PostgreSQL that a previous Vigil left running', { pid });
    return orphan;
  }
  // It is shutting down, its socket was removed, or its superuser can connect.
  await stopPostmaster(orphan, cluster);
  log('Stopped the PostgreSQL that a previous Vigil left running', { pid });
  return undefined;
}

async function isUsable(
  { socketFolder }: Postmaster,
  account: SystemAccount | undefined,
  passwords: Passwords,
): Promise<boolean> {
  const { connection } = connectionsAt(socketFolder, passwords);
  const deadline = performance.now() + 120_000;
  while ((await isPrivateFolder(socketFolder, account)) && performance.now() < deadline) {
    const state = await probe(connection);
    if (state !== 'starting') return state === 'ready';
    await sleep(20);
  }
  return false;
}
