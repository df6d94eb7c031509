import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PoolConfig } from 'pg';
import { asAccount, ensureAccount } from '../src/store/embedded/account.ts';
import { createSocketFolder, restoreSocketFolder } from '../src/store/embedded/socketFolder.ts';
import { hangServer, kill, postgresProcesses } from './bundledPostgres.ts';
import { ask, createCitusDatabase } from './createCitusDatabase.ts';
import { until } from './until.ts';

const log = () => {};
const run = promisify(execFile);
const packages = '/usr/lib/postgresql';

const settings = {
  listen_addresses: '',
  wal_level: 'logical',
  max_connections: '150',
  max_prepared_transactions: '100',
  shared_buffers: '64MB',
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  log_line_prefix: '@%p ',
};

const ofCitus = {
  shared_preload_libraries: 'citus',
  'citus.node_conninfo': 'sslmode=disable',
};

/** Not where the cluster is measured: both take time of their own. */
const ofTests = {
  // A node that was killed must be noticed without waiting for a deadlock check.
  'citus.recover_2pc_interval': '1s',
  // The log has each statement that asks several shards.
  'citus.multi_task_query_log_level': 'notice',
  log_min_messages: 'notice',
  log_min_error_statement: 'notice',
};

export type Citus = Awaited<ReturnType<typeof startCitus>>;

/** Where the machine has a PostgreSQL with Citus; undefined where it has none. */
async function findCitus(): Promise<{ version: string; binaries: string } | undefined> {
  const versions = await readdir(packages).catch(() => []);
  for (const version of versions.toSorted((a, b) => Number(b) - Number(a)))
    if (existsSync(join('/usr/share/postgresql', version, 'extension', 'citus.control')))
      return { version, binaries: join(packages, version, 'bin') };
  return undefined;
}

/** The reason why tests of Citus cannot run here, for `skip`; undefined where they can. */
export async function whyNoCitus(): Promise<string | undefined> {
  return (await findCitus()) ? undefined : 'No PostgreSQL of this machine has the extension Citus.';
}

/**
 * A coordinator and workers that it knows, in a folder of a workspace that is removed afterwards. The database is empty but for
 * the extension.
 */
export async function startCitus(
  folder: (name: string) => string,
  {
    workers = 2,
    spares = 0,
    isBeside = false,
  }: {
    workers?: number;
    /** Servers that could become workers. */
    spares?: number;
    /** With a plain server of the same version. */
    isBeside?: boolean;
  } = {},
) {
  const found = await findCitus();
  if (!found) throw new Error('There is no Citus here.');
  const account = await ensureAccount(log);
  const programs = { initdb: join(found.binaries, 'initdb'), control: join(found.binaries, 'pg_ctl') };
  const names = ['coordinator', ...Array.from({ length: workers + spares }, (_, i) => `worker${i + 1}`)];

  // One is made, and copied for each node.
  await makeFolder(folder('new'));
  const empty = join(folder('new'), 'postgres');
  await mkdir(empty, { mode: 0o700 });
  if (account) await chown(empty, account.uid, account.gid);
  const options = ['--username=vigil', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await run(programs.initdb, ['--pgdata', empty, ...options], asAccount(account));

  async function createNode(name: string) {
    const isPlain = name === 'plain';
    const dataDir = folder(name);
    const cluster = join(dataDir, 'postgres');
    await makeFolder(dataDir);
    await run('cp', ['-a', empty, cluster]);
    const hbaFile = join(dataDir, 'hba.conf');
    // The folder of the socket admits its account only.
    await writeFile(hbaFile, 'local all all trust\nlocal replication all trust\n');
    const socketFolder = await createSocketFolder(account);
    const connection = {
      host: socketFolder,
      port: 5432,
      user: 'vigil',
      password: '',
      database: 'vigil',
      ssl: false,
    };

    const maintenance = { ...connection, database: 'postgres' };
    const lines = Object.entries({
      ...settings,
      ...(isPlain ? {} : { ...ofCitus, 'citus.local_hostname': socketFolder }),
      ...(isPlain || isBeside ? {} : ofTests),
      unix_socket_directories: socketFolder,
      hba_file: hbaFile,
    });
    await appendFile(
      join(cluster, 'postgresql.conf'),
      lines.map(([setting, value]) => `${setting} = '${value}'\n`).join(''),
    );

    async function start(): Promise<void> {
      const options = ['start', '--wait', '--pgdata', cluster, '--log', join(cluster, 'server.log')];
      const tryStart = async () => {
        await restoreSocketFolder(socketFolder, account);
        await run(programs.control, options, asAccount(account));
        return true;
      };
      // Processes of a killed server may still hold its memory for a moment.
      await until(() => tryStart().catch(() => false));
    }

    await start();
    // Newer servers move tables by Citus only where this setting names it.
    const allows = await ask(maintenance, "select from pg_settings where name = 'output_plugin_libraries'");
    if (isPlain) await ask(maintenance, 'create database vigil template template0');
    else if (allows.length > 0) {
      await ask(maintenance, "alter system set output_plugin_libraries = 'pgoutput', 'citus'");
      await ask(maintenance, 'select pg_reload_conf()');
    }
    return {
      connection: connection as PoolConfig & typeof connection,
      dataFolder: cluster,
      start,
      /** kill -9 of the server with all of its processes. */
      async kill(): Promise<void> {
        for (const pid of await postgresProcesses(dataDir)) kill(pid);
      },
      hang: () => hangServer(dataDir),
      ask: (text: string) => ask(connection, text),
      /** The statements so far that asked several shards. */
      async fanOuts(): Promise<string[]> {
        const entries = (await readFile(join(cluster, 'server.log'), 'utf8')).split(/^@/m);
        return entries.flatMap((entry, index) => {
          if (!entry.includes('multi-task query about to be executed')) return [];
          const statement = entries.slice(index).find((each) => / STATEMENT: /.test(each));
          return [
            statement
              ?.replace(/^.*? STATEMENT: /, '')
              .replaceAll(/\s+/g, ' ')
              .trim() ?? '',
          ];
        });
      },
    };
  }

  const [coordinator, ...others] = await Promise.all(names.map(createNode));
  if (!coordinator) throw new Error('A cluster has a coordinator.');
  const plain = isBeside ? await createNode('plain') : undefined;
  await createCitusDatabase(
    coordinator.connection,
    others.slice(0, workers).map(({ connection }) => connection),
    others.slice(workers).map(({ connection }) => connection),
  );
  return {
    coordinator,
    workers: others.slice(0, workers),
    spares: others.slice(workers),
    plain,
    url: `postgres://vigil@/vigil?host=${encodeURIComponent(coordinator.connection.host)}`,
  };
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path);
  await chmod(path, 0o755);
}
