import { Account, MuxedAccount } from '@stellar/stellar-base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/store/db/migrate.ts';
import { addressHash } from '../../src/store/labels/addressHash.ts';
import { stellarKey } from '../../testing/stellar/stellarKey.ts';
import { createDatabaseBefore } from '../support/createDatabaseBefore.ts';

const migration = '0061_muxed_accounts.sql';
let database: Awaited<ReturnType<typeof createDatabaseBefore>>;
beforeAll(async () => {
  database = await createDatabaseBefore(migration);
});
afterAll(() => database.drop());

it('a database of before compares muxed accounts by the account behind them, once in a project', async () => {
  const { client, config } = database;
  const [one, two, three] = [1, 2, 3].map((number) => stellarKey(number).address) as [string, string, string];
  const muxed = (address: string, id: string) => new MuxedAccount(new Account(address, '0'), id).accountId();
  const contracts: [chain: string, address: string, expected: string, status?: string][] = [
    ['stellar', muxed(one, '7'), one],
    // The second one of the same account, and one beside the account itself, stay as they are.
    ['stellar', muxed(one, '8'), muxed(one, '8')],
    ['stellar', muxed(two, '18446744073709551615'), muxed(two, '18446744073709551615')],
    ['stellar', two, two],
    ['stellar', muxed(one, '9'), one, 'DELETED'],
    ['stellar', three, three],
    ['solana', muxed(three, '1'), muxed(three, '1')],
  ];
  await client.query(`insert into tenant (created_at, updated_at, name) values (1, 1, 'Acme');
    insert into project (tenant_id, created_at, updated_at, name) values (1, 1, 1, 'Own')`);
  for (const [chain, address, , status = 'ACTIVE'] of contracts)
    await client.query(
      `insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name, status)
        values (1, 1, 1, 1, $1, $2, $2, 'x', $3)`,
      [chain, address, status],
    );
  for (const address of [muxed(one, '1'), muxed(one, '2'), two])
    await client.query(
      `insert into address_label (created_at, updated_at, tenant_id, chain_uid, address, address_hash)
        values (1, 1, 1, 'stellar', $1, $2)`,
      [address, String(addressHash(address))],
    );
  expect(await migrate(config)).toContain(migration);
  const { rows } = await client.query('select canonical_address as canonical from contract order by id');
  expect(rows.map(({ canonical }) => canonical)).toEqual(contracts.map(([, , expected]) => expected));
  const labels = await client.query(
    'select address, address_hash::text as hash from address_label order by id',
  );
  expect(labels.rows).toEqual(
    [one, muxed(one, '2'), two].map((address) => ({ address, hash: String(addressHash(address)) })),
  );
});
