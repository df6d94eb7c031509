import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { ensureAccount } from '../src/store/embedded/account.ts';
import { connectionsAt, type EmbeddedConnection } from '../src/store/embedded/connection.ts';
import { findPackage } from '../src/store/embedded/findPackage.ts';
import { launchPostmaster } from '../src/store/embedded/launchPostmaster.ts';
import { provideBinaries } from '../src/store/embedded/provideBinaries.ts';
import { readPasswords } from '../src/store/embedded/roles.ts';
import { createSocketFolder } from '../src/store/embedded/socketFolder.ts';
import { startEmbedded } from '../src/store/embedded/startEmbedded.ts';
import { kill, postgresProcesses } from './bundledPostgres.ts';
import { until } from './until.ts';

const log = () => {};
const common = { fsync: 'off', full_page_writes: 'off', max_connections: '150', autovacuum: 'off' };

/**
 * A primary and a hot standby that confirms every commit, unless it `isBehind`, in two folders; they are stopped by removing the
 * workspace.
 */
export async function startReplicated(
  folders: { primary: string; standby: string },
  { isBehind = false }: { isBehind?: boolean } = {},
) {
  // Makes the cluster with its roles and database.
  const first = await startEmbedded({ dataDir: folders.primary, log, settings: common });
  await first.stop();
  if (dirname(first.dataFolder) !== folders.primary)
    throw new Error(`${folders.primary} cannot be entered by PostgreSQL's account.`);
  const account = await ensureAccount(log);
  const passwords = await readPasswords(folders.primary);
  const binaries = await provideBinaries({
    nativePackage: await findPackage(),
    home: folders.primary,
    account,
    log,
  });
  await mkdir(folders.standby);
  await chmod(folders.standby, 0o711);
  await promisify(execFile)('cp', ['-a', first.dataFolder, join(folders.standby, 'postgres')]);
  const hbaFile = join(folders.primary, 'replicated-hba.conf');
  await writeFile(hbaFile, 'local all all trust\nlocal replication all trust\n');

  async function launch(dataDir: string, settings: Record<string, string>) {
    const { socketFolder } = await launchPostmaster({
      binaries,
      dataDir,
      cluster: join(dataDir, 'postgres'),
      hbaFile,
      passwords: passwords!,
      socketFolder: await createSocketFolder(account),
      account,
      settings: { ...common, ...settings },
      log,
    });
    // As the superuser: one role does everything.
    return { ...connectionsAt(socketFolder, passwords!).connection, user: 'vigil' };
  }

  const primary = await launch(folders.primary, { synchronous_standby_names: isBehind ? '' : 'standby' });
  await writeFile(join(folders.standby, 'postgres', 'standby.signal'), '');
  const standby = await launch(folders.standby, {
    primary_conninfo: `host=${primary.host} user=vigil application_name=standby`,
  });
  await until(
    async () =>
      (
        await ask(
          primary,
          `select 1 from pg_stat_replication where sync_state = '${isBehind ? 'async' : 'sync'}'`,
        )
      ).length,
  );

  const urlOf = (hosts: string) => `postgres://vigil@/vigil?host=${hosts}`;
  return {
    primary,
    standby,
    url: urlOf(`${primary.host},${standby.host}`),
    primaryUrl: urlOf(primary.host),
    standbyUrl: urlOf(standby.host),
    /** kill -9 of the primary with all of its processes, and the promotion of the standby, as Patroni would do it. */
    async failOver(): Promise<void> {
      for (const pid of await postgresProcesses(folders.primary)) kill(pid);
      await ask(standby, 'select pg_promote(true)');
    },
    /** The former primary comes back and does not know that it was replaced. */
    returnOld: async () => launch(folders.primary, { synchronous_standby_names: '' }),
  };
}

async function ask(connection: EmbeddedConnection, text: string): Promise<unknown[]> {
  const client = new Client(connection);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
