import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { loadConfig } from '../../src/runtime/config/loadConfig.ts';
import { type Database, openDatabase } from '../../src/runtime/database.ts';
import { runHousekeeping } from '../../src/runtime/startHousekeeping.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import type { Connection } from '../../src/store/db/openClient.ts';
import { openPool } from '../../src/store/db/openPool.ts';
import { createStore } from '../../src/store/db/openStore.ts';
import { dropOldPartitions, ensurePartitions } from '../../src/store/search/months/partitions.ts';
import { createFormerCluster } from '../../testing/createFormerCluster.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { startWithSuperuser } from '../../testing/startWithSuperuser.ts';

const log = pino({ level: 'silent' });
const open = (dataDir: string) => openDatabase(loadConfig({ VIGIL_DATA_DIR: dataDir }), log);

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
beforeAll(async () => {
  workspace = await createWorkspace();
});
afterAll(() => workspace.remove());

describe('the role that Vigil works as', () => {
  let database: Database;
  beforeAll(async () => {
    database = await open(workspace.folder('new'));
  });
  afterAll(() => database.close());

  it('has no attribute and is a member of no other role', async () => {
    const rows = await ask(
      database.connection,
      `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolbypassrls, rolreplication,
        (select count(*)::int from pg_auth_members where member = r.oid) as memberships
      from pg_roles r where rolname = current_user`,
    );
    const no = { rolsuper: false, rolcreatedb: false, rolcreaterole: false };
    const nor = { rolbypassrls: false, rolreplication: false, memberships: 0 };
    expect(rows).toEqual([{ rolname: 'vigil_app', ...no, ...nor }]);
  });

  it.each([
    "copy (select 1) to program 'id'",
    "copy label from program 'id'",
    "copy label from '/etc/passwd'",
    "copy (select 1) to '/tmp/vigil-written'",
    "select pg_read_file('/etc/passwd')",
    "select pg_read_binary_file('postgresql.conf')",
    "select pg_ls_dir('.')",
    "select lo_import('/etc/passwd')",
    'select pg_reload_conf()',
    "alter system set shared_buffers = '1GB'",
    'create extension dblink',
    'create extension pg_trgm',
    'create extension file_fdw',
    'drop extension plpgsql',
    'create trusted language other handler plpgsql_call_handler',
    'create database other',
    'create schema other',
    'create table other (id int)',
    'create temporary table other (id int)',
    "create function other() returns int language sql as 'select 1'",
    'create role other',
    'alter role vigil_app superuser',
    'set role vigil_owner',
    'set session authorization vigil',
    'set session_replication_role = replica',
    'select rolpassword from pg_authid',
    'alter table tenant add column other int',
    'alter table audit_entry disable trigger audit_entry_append_only',
    'drop trigger audit_entry_append_only on audit_entry',
    'truncate tenant',
    "update audit_entry set entry = ''",
    'delete from audit_entry',
    'delete from migration',
    'create or replace function refuse_audit_change() returns trigger language plpgsql as $$ begin return null; end $$',
    'drop table tenant',
    'create index on tenant (name)',
    'checkpoint',
  ])('may not run: %s', async (statement) => {
    await expect(ask(database.connection, statement)).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('reaches no other database, and the superuser reaches none', async () => {
    for (const connection of [
      { ...database.connection, database: 'postgres' },
      { ...database.owner, database: 'template1' },
      { ...database.connection, user: 'vigil' },
      { ...database.connection, user: 'vigil', database: 'postgres' },
    ])
      await expect(ask(connection, 'select 1')).rejects.toThrow('no pg_hba.conf entry');
  });

  it('owns nothing, and its owner is no superuser either', async () => {
    const owned = await ask(
      database.owner,
      `select c.relname from pg_class c join pg_roles r on r.oid = c.relowner
        where c.relnamespace = 'public'::regnamespace and r.rolname <> 'vigil_owner'`,
    );
    expect(owned).toEqual([]);
    await expect(ask(database.owner, "copy (select 1) to program 'id'")).rejects.toThrow('permission denied');
  });

  it('gets new months while it serves, searches them and drops old ones', async () => {
    const { store } = database;
    const month = Date.UTC(2031, 4, 7);
    await ensurePartitions(store, 'alert', [month]);
    expect(await store.query(sql`select count(*)::int as n from alert_2031_05`)).toEqual([{ n: 0 }]);
    await store.query(sql`update alert_2031_05 set suppressed = suppressed`);
    expect(await dropOldPartitions(store, Date.UTC(2031, 5, 1))).toContain('alert_2031_05');
    expect(await store.query(sql`select to_regclass('alert_2031_05') as found`)).toEqual([{ found: null }]);
  });

  it('keeps house without a warning', async () => {
    const warned: unknown[] = [];
    const recording = pino({}, { write: (line: string) => void warned.push(line) });
    const stopping = new AbortController();
    const { store } = database;
    // An ended month, whose indexes are built again.
    await ensurePartitions(store, 'alert', [Date.UTC(2020, 0, 2)]);
    await runHousekeeping(
      {
        store,
        chains: { find: () => undefined } as never,
        hsm: undefined,
        retentionDays: undefined,
        now: Date.now,
        log: recording,
      },
      stopping.signal,
    );
    expect(warned).toEqual([]);
    const built = await store.query(sql`select is_done from rebuilt_month where name = 'alert_2020_01'`);
    expect(built).toEqual([{ is_done: true }]);
  });
});

it('hands a cluster of the superuser over, with its rows, and takes the password of the superuser away', async () => {
  const dataDir = workspace.folder('former');
  await createFormerCluster(dataDir, async (connection) => {
    await migrate(connection);
    const store = createStore(openPool(connection, () => {}));
    await ensurePartitions(store, 'alert', [Date.UTC(2026, 0, 2)]);
    await store.query(sql`insert into tenant (created_at, updated_at, name) values (0, 0, 'Kept')`);
    await store.close();
  });
  const database = await open(dataDir);
  try {
    expect(await ask(database.connection, 'select name from tenant')).toEqual([{ name: 'Kept' }]);
    await ask(database.connection, "insert into tenant (created_at, updated_at, name) values (0, 0, 'New')");
    const left = await ask(
      database.owner,
      `select relname as name from pg_class where relowner = 'vigil'::regrole and relnamespace = 'public'::regnamespace
        union all select proname from pg_proc where proowner = 'vigil'::regrole and pronamespace = 'public'::regnamespace
        union all select datname from pg_database where datdba = 'vigil'::regrole and datname = 'vigil'`,
    );
    expect(left).toEqual([]);
    await ensurePartitions(database.store, 'alert', [Date.UTC(2032, 0, 2)]);
    expect(await dropOldPartitions(database.store, Date.UTC(2026, 1, 1))).toEqual(['alert_2026_01']);
  } finally {
    await database.close();
  }
  expect(await readFile(join(dataDir, 'postgres-password'), 'utf8')).toMatch(
    /^vigil_app:[0-9a-f]{64}\nvigil_owner:[0-9a-f]{64}\n$/,
  );
  const asSuperuser = await startWithSuperuser({ dataDir });
  try {
    const stored = await ask(
      { ...asSuperuser.connection, database: 'postgres' },
      'select rolname, left(rolpassword, 16) as secret from pg_authid where rolcanlogin order by rolname',
    );
    // Derived once: they are random enough, and every connection derives one.
    expect(stored).toEqual([
      { rolname: 'vigil', secret: null },
      { rolname: 'vigil_app', secret: 'SCRAM-SHA-256$1:' },
      { rolname: 'vigil_owner', secret: 'SCRAM-SHA-256$1:' },
    ]);
  } finally {
    await asSuperuser.stop();
  }
});

async function ask(connection: Connection, text: string): Promise<unknown[]> {
  const client = new Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
