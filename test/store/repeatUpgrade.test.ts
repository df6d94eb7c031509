import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/store/db/migrate.ts';
import { createDatabaseBefore } from '../support/createDatabaseBefore.ts';

let database: Awaited<ReturnType<typeof createDatabaseBefore>>;
beforeAll(async () => {
  database = await createDatabaseBefore('0110_repeat_as_before.sql');
});
afterAll(() => database.drop());

it('detectors of before keep reporting at every look, or once, as they did', async () => {
  const { client } = database;
  const stored: [string, object, object][] = [
    ['contract_call', { function: 'fee', condition: '> 20' }, { repeat: 'every look', reportEnd: false }],
    ['contract_call', { function: 'fee', condition: '>> 20' }, { reportEnd: false }],
    [
      'contract_call',
      { function: 'fee', script: 'e.value > 2n' },
      { repeat: 'every look', reportEnd: false },
    ],
    ['contract_call', { function: 'fee', script: 'e.value > e.previous' }, {}],
    ['contract_call', { function: 'fee' }, {}],
    ['wallet_balance', { condition: '< 5', severity: 'HIGH' }, { repeat: 'every look', reportEnd: false }],
    ['wallet_balance', { condition: '< -10%' }, {}],
    ['wallet_balance', {}, {}],
    ['price_monitor', { condition: '--5' }, {}],
    ['proof_of_reserves', { feed: '0x1' }, { reportEnd: false }],
    ['holder_concentration', { condition: '> 50' }, { repeat: 'every look', reportEnd: false }],
    ['invariant', { expression: 'a < b' }, { reportEnd: false }],
    ['pause_state', { condition: '> 1' }, {}],
  ];
  const names = [...new Set(stored.map(([name]) => name))];
  await client.query(`insert into tenant (id, name, created_at, updated_at) values (1, 'One', 0, 0);
    insert into project (id, tenant_id, name, created_at, updated_at) values (1, 1, 'P', 0, 0);
    insert into contract (id, tenant_id, project_id, name, address, canonical_address, chain_uid, created_at, updated_at)
      values (1, 1, 1, 'Vault', '0x1', '0x1', 'anvil', 0, 0)`);
  for (const [index, name] of names.entries())
    await client.query(
      'insert into detector_schema (id, created_at, updated_at, title, name, version) overriding system value values ($1, 0, 0, $2, $2, 1)',
      [index + 1, name],
    );
  for (const [index, [name, config]] of stored.entries())
    await client.query(
      `insert into detector (id, tenant_id, contract_id, schema_id, created_at, updated_at, name, source, config)
        values ($1, 1, 1, $2, 0, 0, 'd', 'PLATFORM', $3)`,
      [index + 1, names.indexOf(name) + 1, config],
    );
  await migrate(database.config);
  const { rows } = await client.query<{ config: object }>('select config from detector order by id');
  expect(rows.map(({ config }) => config)).toEqual(
    stored.map(([, config, added]) => ({ ...config, ...added })),
  );
});
