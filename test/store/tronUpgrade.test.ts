import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/store/db/migrate.ts';
import { createDatabaseBefore } from '../support/createDatabaseBefore.ts';

let database: Awaited<ReturnType<typeof createDatabaseBefore>>;
beforeAll(async () => {
  database = await createDatabaseBefore('0053_tron_accounts.sql');
});
afterAll(() => database.drop());

it('a database of before compares its Tron contracts by the account, and no others', async () => {
  const { client, config } = database;
  await client.query(`insert into tenant (created_at, updated_at, name) values (1, 1, 'Acme');
    insert into project (tenant_id, created_at, updated_at, name) values (1, 1, 1, 'Own');
    insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name)
    select 1, 1, 1, 1, chain, address, address, chain from (values
      ('tron', 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC'),
      ('solana', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')) as given (chain, address)`);
  expect(await migrate(config)).toContain('0053_tron_accounts.sql');
  const { rows } = await client.query(
    'select address, canonical_address as canonical from contract order by id',
  );
  expect(rows).toEqual([
    {
      address: 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC',
      canonical: '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf',
    },
    {
      address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      canonical: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    },
  ]);
});
