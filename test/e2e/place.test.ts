import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let dataDir: string;
let runDir: string;
let nowhere: string;
beforeAll(async () => {
  workspace = await createWorkspace({ isBundled: true });
  // Longer than the path of a socket may be.
  const long = `run-${'r'.repeat(80)}`;
  [dataDir, runDir, nowhere] = ['data', long, 'nowhere'].map((name) => workspace.folder(name)) as [
    string,
    string,
    string,
  ];
});
afterAll(() => workspace.remove());

/** A command in a shell that has these settings alone. */
const run = (line: string, env: Record<string, string> = {}) =>
  workspace.run(line.split(' '), '', { VIGIL_RUN_DIR: runDir, ...env });
const serve = (folder = dataDir, env: Record<string, string> = {}) =>
  workspace.serve(folder, { VIGIL_RUN_DIR: runDir, ...env });

describe('a place without a Vigil', () => {
  it('is refused by every command but serve and migrate, which write nothing there', async () => {
    const lines = [
      'token list',
      'token create',
      'token revoke 1',
      'key rotate',
      'audit verify',
      'audit checkpoint',
      'audit export',
      'rollup verify',
      'backtest 1 --from 1 --to 2',
      'import labels package.json',
    ];
    await Promise.all(
      lines.map(async (line) => {
        const { code, stdout, stderr } = await run(line, { VIGIL_DATA_DIR: nowhere });
        expect(stderr, line).toContain(
          `There is no Vigil in ${nowhere}; set VIGIL_DATA_DIR or DATABASE_URL as \`npm start\` has it.\n`,
        );
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      }),
    );
    expect(existsSync(nowhere)).toBe(false);
  });

  it('is refused as well where it is a folder with something else, or an empty database', async () => {
    const folder = workspace.folder('other');
    await mkdir(folder);
    await writeFile(join(folder, 'letter'), 'Dear Alice');
    expect((await run('token list', { VIGIL_DATA_DIR: folder })).stderr).toContain('There is no Vigil in');
    expect(await readdir(folder)).toEqual(['letter']);

    const database = await createTestDatabase('empty');
    const env = { DATABASE_URL: database.url, VIGIL_DATA_DIR: nowhere };
    const { code, stderr } = await run('key rotate', env);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(
        `There is no Vigil in the PostgreSQL of DATABASE_URL, \\S+/${database.config.database}; set `,
      ),
    );
    const client = new Client(database.config);
    await client.connect();
    const { rows } = await client.query(
      "select relname from pg_class where relnamespace = 'public'::regnamespace",
    );
    await client.end();
    expect(rows).toEqual([]);
    expect(existsSync(nowhere)).toBe(false);
    expect((await run('migrate', env)).stdout).toBe('The database is up to date.\n');
    expect((await run('token list', env)).stdout).toBe('There is no live token.\n');
    await database.drop();
  });
});

describe('while Vigil runs', () => {
  let vigil: Vigil;
  beforeAll(async () => {
    vigil = await serve();
  });

  it('a command without settings works on it, and says so', async () => {
    const { code, stdout, stderr } = await run('token list');
    expect(stderr).toBe(`Working on ${dataDir}, where Vigil runs (process ${vigil.pid}).\n`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('ADMIN') });
    const created = await run('token create --label found');
    expect((await vigil.call('GET', 'auth/me', undefined, { token: created.stdout.trim() })).status).toBe(
      200,
    );
  });

  it('a command that changes or attests something says where, and one with other settings that Vigil runs elsewhere', async () => {
    const named = await run('audit verify', { VIGIL_DATA_DIR: `${dataDir}/.` });
    expect(named.stderr).toBe(`Working on ${dataDir}, where Vigil runs (process ${vigil.pid}).\n`);
    expect((await run('token list', { VIGIL_DATA_DIR: dataDir })).stderr).toBe('');
    const elsewhere = await run('audit checkpoint', { VIGIL_DATA_DIR: nowhere });
    expect(elsewhere.stderr).toContain(
      `Working on ${nowhere}.\nNote: the Vigil that runs here (process ${vigil.pid}) works on another place: ${dataDir}.\n`,
    );
    expect(elsewhere.code).toBe(1);
  });

  it('believes no note that others could have written, nor one of a process that is gone', async () => {
    const note = (await readdir(runDir)).find((name) => name.endsWith('.json'))!;
    const isBelieved = async () =>
      (await run('token list', { VIGIL_DATA_DIR: nowhere })).stderr.includes(
        'Note: the Vigil that runs here',
      );
    const whole = await readFile(join(runDir, note), 'utf8');
    expect(whole).not.toMatch(/vigil_admin|"masterKey"|password/);
    expect(await isBelieved()).toBe(true);
    for (const path of [runDir, join(runDir, note)]) {
      await chmod(path, 0o755);
      expect(await isBelieved(), path).toBe(false);
      await chmod(path, path === runDir ? 0o700 : 0o600);
    }
    if (process.geteuid?.() === 0) {
      await chown(join(runDir, note), 12_345, 12_345);
      expect(await isBelieved()).toBe(false);
      await chown(join(runDir, note), 0, 0);
    }
    const [socket, aside] = [join(runDir, note.replace('.json', '.sock')), workspace.folder('aside')];
    await rename(socket, aside);
    expect(await isBelieved()).toBe(false);
    await rename(aside, socket);
    expect(await isBelieved()).toBe(true);
  });

  it('asks which of several is meant, and for DATABASE_URL where the one that runs has it', async () => {
    const database = await createTestDatabase('migrated');
    const other = await serve(workspace.folder('outside'), {
      DATABASE_URL: database.url,
      VIGIL_ADMIN_TOKEN: 'a-token-of-the-environment-0123456789',
    });
    const several = await run('token list');
    expect(several.code).toBe(1);
    expect(several.stderr).toContain(`process ${vigil.pid} on ${dataDir}`);
    expect(several.stderr).toContain('Set VIGIL_DATA_DIR or DATABASE_URL to that of one.');
    await vigil.stop();
    const { code, stderr } = await run('token list');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /works on the PostgreSQL of DATABASE_URL, .*; set DATABASE_URL here as it has it\.\n$/,
    );
    await other.stop('SIGKILL');
    await database.drop();
  });

  it('leaves no note when it stops, and the next one clears what a killed one left', async () => {
    expect(await readdir(runDir)).toHaveLength(2);
    vigil = await serve();
    expect((await readdir(runDir)).every((name) => name.startsWith(`${vigil.pid}-`))).toBe(true);
    await vigil.stop();
    expect(await readdir(runDir)).toEqual([]);
  });
});

describe('a database whose master key is missing', () => {
  it('is refused by the start and by commands, which write no other key', async () => {
    const [file, aside] = [join(dataDir, 'master.key'), workspace.folder('kept.key')];
    await rename(file, aside);
    const missing = `The master key ${file} is missing, and the secrets of this database are sealed under it. Put it back,`;
    for (const line of ['serve', 'key rotate', 'audit checkpoint']) {
      const { code, stderr } = await run(line, { VIGIL_DATA_DIR: dataDir, VIGIL_PORT: '0' });
      expect(stderr, line).toContain(missing);
      expect(code).toBe(1);
    }
    expect((await readdir(dataDir)).filter((name) => name.includes('master'))).toEqual([]);
    await rename(aside, file);
    const vigil = await serve();
    expect((await vigil.call('GET', '/readyz')).status).toBe(200);
    await vigil.stop();
  });

  it('is not given one by a file that is named and not there, nor by a new one', async () => {
    const env = {
      VIGIL_DATA_DIR: workspace.folder('new'),
      VIGIL_MASTER_KEY_FILE: workspace.folder('not/mounted'),
    };
    const { code, stderr } = await run('serve', env);
    expect(stderr).toContain(
      `VIGIL_MASTER_KEY_FILE names ${env.VIGIL_MASTER_KEY_FILE}, which does not exist.\n`,
    );
    expect(code).toBe(2);
    expect([existsSync(env.VIGIL_DATA_DIR), existsSync(workspace.folder('not'))]).toEqual([false, false]);
    const next = workspace.folder('next.key');
    const rotated = await run(`key rotate --new-key-file ${next}`, { VIGIL_DATA_DIR: dataDir });
    expect([rotated.code, rotated.stderr]).toEqual([2, `--new-key-file: There is no file ${next}.\n`]);
    await rm(next, { force: true });
  });

  it('is rotated in the named file of the Vigil that runs, also by a shell that does not name it', async () => {
    const [folder, file] = ['keyed', 'named.key'].map((name) => workspace.folder(name)) as [string, string];
    const key = Buffer.alloc(32, 5).toString('base64');
    await writeFile(file, `${key}\n`);
    const vigil = await serve(folder, { VIGIL_MASTER_KEY_FILE: file });
    const { code, stdout } = await run('key rotate');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`It is in ${file}.`) });
    expect(await readFile(file, 'utf8')).not.toContain(key);
    expect(existsSync(join(folder, 'master.key'))).toBe(false);
    await vigil.stop();
  });
});
