import { access, chmod, constants, mkdir, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, ensureAccount } from './account.ts';
import { type Connection, connectionAt, createDatabase, probe } from './connection.ts';
import { createCluster } from './createCluster.ts';
import { findPackage, type NativePackage } from './findPackage.ts';
import { launchPostmaster } from './launchPostmaster.ts';
import { locateCluster, recordCluster } from './locateCluster.ts';
import { lockDataFolder } from './lockDataFolder.ts';
import type { Log } from './log.ts';
import { deletePassword, ensurePassword, readPassword } from './password.ts';
import { clearStale, clearStalePid, findPostmaster, type Postmaster, stopPostmaster } from './postmaster.ts';
import { provideBinaries } from './provideBinaries.ts';
import {
  createSocketFolder,
  isPrivateFolder,
  removeSocketFolder,
  restoreSocketFolder,
} from './socketFolder.ts';
import { supervise } from './supervise.ts';
import { transferCluster } from './transferCluster.ts';

export type Embedded = {
  /** For `pg.Pool`: the folder of the Unix socket as host. */
  connection: Connection;
  /** The folder of the cluster; outside of the data folder if PostgreSQL's account cannot enter that. */
  dataFolder: string;
  /** Resolves when the server exited and could not be restarted. */
  lost: Promise<Error>;
  /** Fast shutdown; resolves when the server has exited and the data folder is unlocked. */
  stop(): Promise<void>;
};

type Options = {
  dataDir: string;
  log: Log;
  /** Additional server settings, for example `fsync: 'off'` where the data may be lost. */
  settings?: Record<string, string>;
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
      connection: connectionAt(server.postmaster.socketFolder, server.password),
      dataFolder: server.cluster,
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

async function prepareDataFolder(configured: string, account: Account | undefined): Promise<string> {
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
  options: Options & { nativePackage: NativePackage; account: Account | undefined },
): Promise<{
  cluster: string;
  password: string;
  postmaster: Postmaster;
  relaunch: () => Promise<Postmaster>;
}> {
  const { dataDir, account, log } = options;
  const location = await locateCluster(dataDir, account);
  const { cluster } = location;
  const hbaFile = join(location.home, 'postgres-hba.conf');
  // A server that another account owns or that needs no password must not continue.
  const known = location.formerOwner === undefined ? await readPassword(dataDir) : undefined;
  const orphan = await adoptOrphan(cluster, account, known, log);
  const { postmaster, password } =
    orphan && known !== undefined ? { postmaster: orphan, password: known } : await launch();
  try {
    await createDatabase(connectionAt(postmaster.socketFolder, password));
  } catch (error) {
    await stopPostmaster(postmaster, cluster);
    throw error;
  }
  return { cluster, password, postmaster, relaunch };

  async function launch(): Promise<{ postmaster: Postmaster; password: string }> {
    const binaries = await provideBinaries({ ...options, ...location });
    if (!location.exists) {
      await deletePassword(dataDir);
      await createCluster({ ...location, binaries, account, log });
    }
    const { formerOwner } = location;
    if (account && formerOwner !== undefined)
      await transferCluster({ ...location, formerOwner, account, log });
    if (!location.isRecorded) await recordCluster({ dataDir, cluster, log });
    await clearStale(cluster, account);
    const password = await ensurePassword({ ...options, binaries, cluster });
    await writeHba(hbaFile);
    const socketFolder = await createSocketFolder(account);
    try {
      const launched = { ...options, binaries, cluster, socketFolder, hbaFile, password };
      return { postmaster: await launchPostmaster(launched), password };
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
    return launchPostmaster({ ...options, binaries, cluster, socketFolder, hbaFile, password });
  }
}

/** Beside the cluster and not in it, so PostgreSQL's account cannot change it. */
async function writeHba(file: string): Promise<void> {
  await writeFile(`${file}.partial`, 'local all all scram-sha-256\n', { mode: 0o644, flush: true });
  await chmod(`${file}.partial`, 0o644);
  await rename(`${file}.partial`, file);
}

/** We hold the lock, so a server that still runs on the cluster has lost its Vigil. */
async function adoptOrphan(
  cluster: string,
  account: Account | undefined,
  password: string | undefined,
  log: Log,
): Promise<Postmaster | undefined> {
  const orphan = await findPostmaster(cluster);
  if (!orphan) return undefined;
  const { pid } = orphan;
  if (password !== undefined && (await isUsable(orphan, account, password))) {
    log('Adopted the PostgreSQL that a previous Vigil left running', { pid });
    return orphan;
  }
  // It is shutting down, its socket was removed, or it needs no password.
  await stopPostmaster(orphan, cluster);
  log('Stopped the PostgreSQL that a previous Vigil left running', { pid });
  return undefined;
}

async function isUsable(
  { socketFolder }: Postmaster,
  account: Account | undefined,
  password: string,
): Promise<boolean> {
  const connection = connectionAt(socketFolder, password);
  const deadline = performance.now() + 120_000;
  while ((await isPrivateFolder(socketFolder, account)) && performance.now() < deadline) {
    const state = await probe(connection);
    if (state !== 'starting') return state === 'ready';
    await sleep(20);
  }
  return false;
}
