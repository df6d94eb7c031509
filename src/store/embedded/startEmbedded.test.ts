import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAccount, findAccount, sharedAccount } from './account.ts';
import { probe } from './connection.ts';
import { findPackage } from './findPackage.ts';
import { provideBinaries } from './provideBinaries.ts';
import { createSocketFolder } from './socketFolder.ts';
import { type Embedded, startEmbedded } from './startEmbedded.ts';

describe('startEmbedded', () => {
  let dataDir: string;
  const logged: string[] = [];
  const start = (settings: Record<string, string> = {}) =>
    startEmbedded({ dataDir, log: (message) => logged.push(message), settings });

  beforeAll(async () => {
    dataDir = join(await realpath(tmpdir()), `vigil-embedded-${randomUUID()}`, 'long-'.repeat(20));
  });
  afterAll(() => rm(join(dataDir, '..'), { recursive: true }));

  it('makes a private cluster with checksums and the same collation everywhere, also below a long path', async () => {
    const embedded = await start();
    expect(logged).toContain('Created the database cluster');
    expect(embedded.dataFolder).toBe(join(dataDir, 'postgres'));
    expect((await stat(embedded.connection.host)).mode & 0o777).toBe(0o700);
    const rows = await query(
      embedded,
      `select current_setting('listen_addresses') as addresses, current_setting('data_checksums') as checksums,
         current_setting('server_encoding') as encoding, datlocprovider as provider, datlocale as locale,
         lower('ÄÇ') as lower, 'Ä' ilike 'ä' as ilike, 'a' < 'B' as "alphabetical"
       from pg_database where datname = current_database()`,
    );
    expect(rows).toEqual([
      {
        addresses: '',
        checksums: 'on',
        encoding: 'UTF8',
        provider: 'b',
        locale: 'C.UTF-8',
        lower: 'äç',
        ilike: true,
        alphabetical: false,
      },
    ]);
    await query(embedded, "create table kept as select 'first' as word");
    await embedded.stop();
  });

  it('leaves no process, socket or lock when stopped, and finds its rows at the next start', async () => {
    const embedded = await start();
    expect(await query(embedded, 'select word from kept')).toEqual([{ word: 'first' }]);
    await Promise.all([embedded.stop(), embedded.stop()]);
    expect(await readdir(embedded.dataFolder)).not.toContain('postmaster.pid');
    await expect(stat(embedded.connection.host)).rejects.toThrow('ENOENT');
    expect(await readdir(dataDir)).not.toContain('lock');
  });

  it('loses no committed row when the server is killed', async () => {
    const before = await start();
    const pid = await postmasterOf(before);
    await query(before, "insert into kept values ('second')");
    process.kill(pid, 'SIGKILL');
    await before.stop();
    const after = await start();
    expect(await query(after, 'select word from kept')).toEqual([{ word: 'first' }, { word: 'second' }]);
    await expect(stat(before.connection.host)).rejects.toThrow('ENOENT');
    await after.stop();
  });

  it('brings a killed server back where its callers look for it, with every committed row', async () => {
    const embedded = await start();
    await query(embedded, "insert into kept values ('third')");
    const pid = await postmasterOf(embedded);
    process.kill(pid, 'SIGKILL');
    while (!logged.includes('Restarted PostgreSQL')) await sleep(10);
    expect(await postmasterOf(embedded)).not.toBe(pid);
    expect(await query(embedded, 'select count(*)::int as n from kept')).toEqual([{ n: 3 }]);
    await embedded.stop();
    await expect(stat(embedded.connection.host)).rejects.toThrow('ENOENT');
  });

  it('is not held up by a pid file whose number another process has got since', async () => {
    const other = spawn('sleep', ['60'], { ...asAccount(await findAccount()), env: process.env });
    await once(other, 'spawn');
    try {
      const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
      await writeFile(pidFile, `${other.pid}\n${dataDir}/postgres\n0\n5432\n/nowhere/vigil-abcdef\n\n`);
      const embedded = await start();
      expect(await postmasterOf(embedded)).not.toBe(other.pid);
      await embedded.stop();
      expect(other.exitCode ?? other.signalCode).toBeNull();
    } finally {
      other.kill();
    }
  });

  it('lets no one in without the password, which only Vigil can read', async (context) => {
    const embedded = await start();
    try {
      expect((await stat(join(dataDir, 'postgres-password'))).mode & 0o777).toBe(0o600);
      for (const password of ['', 'wrong'])
        await expect(
          query({ ...embedded, owner: { ...embedded.owner, password } }, 'select 1'),
        ).rejects.toThrow(/password/);
      if (process.geteuid?.() !== 0) context.skip('only root can run a process of another account');
      const { uid, gid } = await sharedAccount();
      const status = await readFile(`/proc/${await postmasterOf(embedded)}/status`, 'utf8');
      expect(status).not.toMatch(new RegExp(`^[UG]id:.*\\b(0|${uid}|${gid})\\b`, 'm'));
      const socket = join(embedded.connection.host, '.s.PGSQL.5432');
      const enter = `require('net').connect(process.argv[1]).on('connect', () => console.log('in')).on('error', (error) => console.log(error.code))`;
      const asNobody = { uid, gid, cwd: '/' };
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', enter, socket], asNobody);
      expect(stdout).toBe('EACCES\n');
    } finally {
      await embedded.stop();
    }
  });

  it('takes over a folder from before there was a password, with its rows, though it is killed on the way', async () => {
    await rm(join(dataDir, 'postgres-password'));
    await rm(join(dataDir, 'postgres-hba.conf'));
    const cluster = join(dataDir, 'postgres');
    await writeFile(join(cluster, 'pg_hba.conf'), 'local all all trust\n');
    const isRoot = process.geteuid?.() === 0;
    const account = await findAccount();
    const former = isRoot ? await sharedAccount() : undefined;
    if (former) await promisify(execFile)('chown', ['-R', `${former.uid}:${former.gid}`, cluster]);
    // The server of a previous Vigil still runs, and accepts everyone.
    const { postgres } = await provideBinaries({
      nativePackage: await findPackage(),
      home: dataDir,
      account: former,
      log: () => {},
    });
    const socketFolder = await createSocketFolder(former);
    const settings = ['listen_addresses=', `unix_socket_directories=${socketFolder}`, 'shared_buffers=1MB'];
    const args = ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])];
    const orphan = spawn(postgres, args, { ...asAccount(former), stdio: 'ignore' });
    const open = { host: socketFolder, port: 5432, user: 'vigil', password: undefined, ssl: false } as const;
    while ((await probe({ ...open, database: 'postgres' })) !== 'ready') await sleep(20);

    logged.length = 0;
    const embedded = await start();
    expect(orphan.exitCode ?? orphan.signalCode).not.toBeNull();
    expect(logged).toEqual([
      'Stopped the PostgreSQL that a previous Vigil left running',
      ...(isRoot ? ['Transferred the database to its own account'] : []),
      'Created the roles of the database',
    ]);
    expect(await query(embedded, 'select count(*)::int as n from kept')).toEqual([{ n: 3 }]);
    await expect(
      query({ ...embedded, owner: { ...embedded.owner, password: 'wrong' } }, 'select 1'),
    ).rejects.toThrow('password authentication failed');
    await embedded.stop();

    // Killed after the first folder had changed hands, and after the password was written down but not set.
    await writeFile(join(dataDir, 'postgres-password.partial'), 'never set\n', { mode: 0o600 });
    await rm(join(dataDir, 'postgres-password'));
    if (former && account) {
      await promisify(execFile)('chown', ['-R', `${former.uid}:${former.gid}`, cluster]);
      await chown(cluster, account.uid, account.gid);
      await writeFile(join(dataDir, 'postgres-former-owner'), String(former.uid));
    }
    const again = await start();
    expect(await query(again, 'select count(*)::int as n from kept')).toEqual([{ n: 3 }]);
    await again.stop();
    const names = await readdir(dataDir);
    expect(names.filter((name) => /partial|former/.test(name))).toEqual([]);
  });

  it('says what to do when the password is another one than the database has', async () => {
    const file = join(dataDir, 'postgres-password');
    const right = await readFile(file, 'utf8');
    await writeFile(file, right.replaceAll(/[0-9a-f]{64}/g, 'another'));
    await expect(start()).rejects.toThrow(`The password in ${file} is not that of the database`);
    await writeFile(file, right);
  });

  it('reports the output of PostgreSQL when it does not start, and frees the folder', async () => {
    await expect(start({ shared_buffers: 'nonsense' })).rejects.toThrow(
      /PostgreSQL did not start on .*\n.*invalid value for parameter "shared_buffers": "nonsense"/,
    );
    await (await start()).stop();
  });

  it('empties a log that has grown beyond 10 MB', async () => {
    await writeFile(join(dataDir, 'postgres.log'), Buffer.alloc(10 * 1024 * 1024 + 1, 'x'));
    await (await start()).stop();
    expect((await stat(join(dataDir, 'postgres.log'))).size).toBeLessThan(10_000);
  });

  it('refuses a cluster of another user', async (context) => {
    if (process.geteuid?.() !== 0) context.skip('only root can give a folder to another user');
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    const file = join(dataDir, 'postgres-password');
    await promisify(execFile)('chown', ['-R', '12345', join(dataDir, 'postgres')]);
    await chown(file, 12_345, gid);
    await expect(start()).rejects.toThrow(
      `The database in ${dataDir}/postgres belongs to uid 12345, but PostgreSQL would run as uid ${uid}`,
    );
    // With a password of root's it is root's own, from before its account got this number.
    await chown(file, 0, 0);
    await (await start()).stop();
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(uid);
  });

  it('names the variable to change when the data folder cannot be used', async () => {
    const file = join(dataDir, 'postgres.log');
    await expect(startEmbedded({ dataDir: file, log: () => {} })).rejects.toThrow(
      `The data folder ${file} cannot be used: set VIGIL_DATA_DIR to a folder that this user may write`,
    );
  });

  it('points to DATABASE_URL on a platform without a bundled server', async () => {
    const { arch } = process;
    Object.defineProperty(process, 'arch', { value: 'mips' });
    try {
      await expect(start()).rejects.toThrow('set DATABASE_URL to a PostgreSQL >= 15, or');
    } finally {
      Object.defineProperty(process, 'arch', { value: arch });
    }
  });
});

async function query(embedded: Embedded, text: string): Promise<unknown[]> {
  const client = new Client(embedded.owner);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function postmasterOf({ dataFolder }: Embedded): Promise<number> {
  return Number((await readFile(join(dataFolder, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}
