import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/store/db/migrate.ts';
import { createDatabaseBefore } from '../support/createDatabaseBefore.ts';

let database: Awaited<ReturnType<typeof createDatabaseBefore>>;
beforeAll(async () => {
  database = await createDatabaseBefore('0023_accounts.sql');
});
afterAll(() => database.drop());

it('a database of before keeps its users, newest invites, sessions and shares', async () => {
  const { client } = database;
  await client.query(`insert into tenant (id, name, created_at, updated_at) values (1, 'One', 0, 0), (2, 'Two', 0, 0);
    insert into member (id, tenant_id, email, roles, created_at, updated_at)
      values (1, 1, 'Alice@Example.com', '{tenant-user}', 0, 0);
    insert into invite (id, tenant_id, email, roles, url, uid_hash, expired_at, created_at, updated_at)
      values (1, 1, 'Bob@example.com', '{tenant-user}', 'x', '1', 9, 0, 0), (2, 1, 'bob@example.com', '{tenant-user}', 'x', '2', 9, 0, 0),
        (3, 2, 'bob@example.com', '{tenant-user}', 'x', '3', 9, 0, 0);
    insert into destination (id, tenant_id, type, uid, value, created_at, updated_at)
      values (1, 1, 'EMAIL', 'u', 'Ops@Example.com', 0, 0);
    insert into access_token (id, tenant_id, member_id, kind, roles, hash, hint, created_at, updated_at)
      values (7, 1, 1, 'SESSION', '{}', 'a', '', 5, 5), (8, 1, 1, 'API_KEY', '{}', 'b', '', 6, 6);
    insert into project (id, tenant_id, name, view_tenant_ids, created_at, updated_at) values (1, 1, 'P', '{2}', 0, 0)`);
  expect(await migrate(database.config)).toEqual(
    expect.arrayContaining(['0023_accounts.sql', '0024_shares.sql']),
  );
  const rows = async (text: string) =>
    (await client.query({ text, rowMode: 'array' })).rows.map((row: unknown[]) => row.map(String));
  expect(await rows('select email from member')).toEqual([['alice@example.com']]);
  expect(await rows('select value from destination')).toEqual([['ops@example.com']]);
  expect(await rows('select id, email, status from invite order by id')).toEqual([
    ['1', 'bob@example.com', 'DELETED'],
    ['2', 'bob@example.com', 'ACTIVE'],
    ['3', 'bob@example.com', 'ACTIVE'],
  ]);
  expect(await rows('select family_id, opened_at from access_token order by id')).toEqual([
    ['7', '5'],
    ['null', 'null'],
  ]);
  expect(await rows('select accepted_tenant_ids from project')).toEqual([['2']]);
});
