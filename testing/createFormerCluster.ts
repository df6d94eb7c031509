import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { asAccount, ensureAccount } from '../src/store/embedded/account.ts';
import { type EmbeddedConnection, probe } from '../src/store/embedded/connection.ts';
import { createCluster } from '../src/store/embedded/createCluster.ts';
import { findPackage } from '../src/store/embedded/findPackage.ts';
import { provideBinaries } from '../src/store/embedded/provideBinaries.ts';
import { createSocketFolder, removeSocketFolder } from '../src/store/embedded/socketFolder.ts';
import { until } from './until.ts';

const log = () => {};

/** A data folder of the time when the superuser did everything; `fill` gets its connection to the database. */
export async function createFormerCluster(
  dataDir: string,
  fill: (connection: EmbeddedConnection) => Promise<void>,
): Promise<void> {
  await mkdir(dataDir, { mode: 0o711 });
  const account = await ensureAccount(log);
  const cluster = join(dataDir, 'postgres');
  const binaries = await provideBinaries({
    nativePackage: await findPackage(),
    home: dataDir,
    account,
    log,
  });
  await createCluster({ binaries, home: dataDir, cluster, account, log });
  const hbaFile = join(dataDir, 'postgres-hba.conf');
  await writeFile(hbaFile, 'local all all trust\n', { mode: 0o644 });
  const socketFolder = await createSocketFolder(account);
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${socketFolder}`,
    `hba_file=${hbaFile}`,
    'fsync=off',
  ];
  const args = ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(binaries.postgres, args, { ...asAccount(account), stdio: 'ignore' });
  const exited = once(server, 'exit');
  const connection = {
    host: socketFolder,
    port: 5432,
    user: 'vigil',
    password: 'former',
    ssl: false,
  } as const;
  const maintenance = { ...connection, database: 'postgres' };
  await until(async () => (await probe(maintenance)) === 'ready');
  const client = new Client(maintenance);
  await client.connect();
  await client.query("alter role vigil password 'former'");
  await client.query('create database vigil');
  await client.end();
  await fill({ ...connection, database: 'vigil' });
  server.kill('SIGINT');
  await exited;
  await removeSocketFolder(socketFolder);
  await writeFile(hbaFile, 'local all all scram-sha-256\n');
  await writeFile(join(dataDir, 'postgres-password'), 'former\n', { mode: 0o600 });
}
