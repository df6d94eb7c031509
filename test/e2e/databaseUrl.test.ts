import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase, onMaintenanceDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';

describe('vigil serve on the PostgreSQL of DATABASE_URL', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let env: Record<string, string>;
  const token = 'a-token-of-the-environment-0123456789';
  beforeAll(async () => {
    workspace = await createWorkspace();
    database = await createTestDatabase('empty');
    env = {
      DATABASE_URL: database.url,
      VIGIL_ADMIN_TOKEN: token,
    };
  });
  afterAll(async () => {
    await workspace.remove();
    await database.drop();
  });

  it('migrates it, starts no server of its own, and takes the token of the environment without printing it', async () => {
    const dataDir = workspace.folder('outside');
    const vigil = await workspace.serve(dataDir, env);
    expect(vigil.stdout()).toContain('database        DATABASE_URL');
    expect(vigil.stdout()).not.toContain('vigil_admin_');
    expect(await readdir(dataDir)).toEqual(['master.key']);
    expect((await vigil.get('/auth/me')).roles).toEqual(['admin']);
    await vigil.post('/tenant', { body: { name: 'Outside' } });
    const { code, stdout, stderr } = await vigil.stop();
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(token);
  });

  it('refuses a master key that did not seal its secrets, and says where the right one belongs', async () => {
    const right = (await readFile(join(workspace.folder('outside'), 'master.key'), 'utf8')).trim();
    const wrong = Buffer.alloc(32, 7).toString('base64');
    const other = workspace.folder('other');
    const refused = await workspace.run(['serve'], other, {
      ...env,
      VIGIL_PORT: '0',
      VIGIL_MASTER_KEY: wrong,
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'The master key does not fit this database: its secrets were sealed under another one. ' +
        'Give the right key in VIGIL_MASTER_KEY or VIGIL_MASTER_KEY_FILE.',
    );
    expect(refused.stderr).not.toContain(wrong);
    const vigil = await workspace.serve(other, { ...env, VIGIL_MASTER_KEY: right });
    expect((await vigil.call('GET', '/readyz')).status).toBe(200);
    await vigil.stop();
  });

  it('works as a role that may only use rows beside one that owns them, and the doctor then has nothing to warn of', async () => {
    const two = await createTestDatabase('empty');
    const role = `${two.config.database}_app`;
    await onMaintenanceDatabase((client) => client.query(`create role ${role} login password 'secret'`));
    const address = new URL(two.url.replace('@/', '@localhost/'));
    address.username = role;
    address.password = 'secret';
    const app = address.href.replace('@localhost/', '@/');
    const dataDir = workspace.folder('two');
    const roles = { ...env, DATABASE_URL: app, DATABASE_OWNER_URL: two.url };
    const client = new Client({ connectionString: app });
    try {
      const vigil = await workspace.serve(dataDir, roles);
      await client.connect();
      await vigil.post('/tenant', { body: { name: 'Two roles' } });
      const { rows } = await client.query(
        `select distinct usename as role from pg_stat_activity where application_name = 'vigil' and datname = current_database()
          and usename <> 'vigil' order by 1`,
      );
      expect(rows).toEqual([{ role }]);
      expect((await client.query('select name from tenant')).rows).toEqual([{ name: 'Two roles' }]);
      await expect(client.query('alter table tenant add column other int')).rejects.toThrow('must be owner');
      await vigil.stop();

      const good = await workspace.run(['doctor'], dataDir, roles);
      expect(good.stdout).not.toContain('Warning: Vigil works as');
      expect(good.code).toBe(0);
      const superuser = await workspace.run(['doctor'], dataDir, { ...env, DATABASE_URL: two.url });
      expect(superuser.stdout).toContain(
        `Warning: Vigil works as ${two.config.user}, a superuser or one that row security does not bind.`,
      );
      const alone = await workspace.run(['doctor'], dataDir, { DATABASE_OWNER_URL: two.url });
      expect(alone.stderr).toContain('DATABASE_OWNER_URL needs DATABASE_URL');
    } finally {
      await client.end();
      await two.drop();
      await onMaintenanceDatabase((admin) => admin.query(`drop role ${role}`));
    }
  });

  it('answers 503 with Retry-After while the database is gone, stays up, and goes on when it is back', async () => {
    const vigil = await workspace.serve(workspace.folder('outside'), env);
    const name = String(database.config.database);
    const admin = new Client({ ...inject('postgres'), database: 'postgres' });
    await admin.connect();
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    for (const path of ['/readyz', 'tenant/1']) {
      const answer = await vigil.call('GET', path);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.body).toMatchObject({ code: 'unavailable', status: 503 });
    }
    expect((await vigil.call('GET', '/healthz')).status).toBe(200);
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.end();
    expect((await vigil.call('GET', '/readyz')).status).toBe(200);
    expect((await vigil.call('GET', 'tenant/1')).body.name).toBe('Outside');
    await vigil.stop();
  });

  it('says so in one sentence when nothing answers there', async () => {
    const { code, stderr } = await workspace.run(['serve'], workspace.folder('outside'), {
      DATABASE_URL: 'postgres://nobody:hidden-word@127.0.0.1:1/vigil',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Vigil cannot continue: The PostgreSQL of DATABASE_URL cannot be used\.\n.*127\.0\.0\.1:1$/m,
    );
    expect(stderr).not.toContain('hidden-word');
  });
});
