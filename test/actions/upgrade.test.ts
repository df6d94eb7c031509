import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/store/db/migrate.ts';
import { createDatabaseBefore } from '../support/createDatabaseBefore.ts';

const step = '0015_intents.sql';

let database: Awaited<ReturnType<typeof createDatabaseBefore>>;
beforeAll(async () => {
  database = await createDatabaseBefore(step);
});
afterAll(() => database.drop());

it('a database of before keeps its numbers under one name of a chain, and what waits knows the chain of its alert', async () => {
  const { client } = database;
  await client.query(`insert into nonce_lane (chain_uid, address, next_nonce, behind_since) values
    ('sepolia', '0xa', 5, 1), ('ethereum_sepolia', '0xa', 7, null), ('ethereum_sepolia', '0xb', 3, null),
    ('holesky', '0xa', 9, null), ('ethereum_holesky', '0xa', 2, null), ('anvil', '0xa', 4, 8)`);
  await client.query(`set session_replication_role = replica;
    create table alert_1 partition of alert for values from (0) to (1000)`);
  const uid = (n: number) => `00000000-0000-8000-8000-00000000000${n}`;
  for (const [n, chain, state] of [
    [1, 'ethereum', 'WAITING'],
    [2, 'anvil', 'WAITING'],
    [3, 'ethereum', 'CONFIRMED'],
  ]) {
    await client.query(
      `insert into alert (tenant_id, timestamp, contract_id, project_id, uid, numeric_severity, kind, alert_group, name,
        message, eid, terms, chain_uid)
      values (1, 5, 1, 1, $1, 70, 'detector', 'SECURITY', 'n', 'm', 'e', '{}', $2)`,
      [uid(Number(n)), chain],
    );
    await client.query(
      `insert into action_intent (tenant_id, action_id, binding, alert_uid, alert_timestamp, contract_id, wallet_id,
        chain_uid, block_number, severity, fire_at, state, created_at, updated_at, next_attempt_at)
      values (1, 1, 'detector 1', $1, 5, 1, 1, 'anvil', 100, 'HIGH', 'confirmed', $2, 0, 0, 0)`,
      [uid(Number(n)), state],
    );
  }
  await client.query('reset session_replication_role');
  expect(await migrate(database.config)).toContain(step);
  const lanes = await client.query(
    'select chain_uid, address, next_nonce::int, behind_since::int from nonce_lane order by 1, 2',
  );
  expect(lanes.rows.map((row) => Object.values(row))).toEqual([
    ['anvil', '0xa', 4, 8],
    ['holesky', '0xa', 9, null],
    ['sepolia', '0xa', 7, null],
    ['sepolia', '0xb', 3, null],
  ]);
  const intents = await client.query('select alert_chain_uid, halt_count from action_intent order by id');
  expect(intents.rows.map((row) => Object.values(row))).toEqual([
    ['ethereum', 0],
    [null, 0],
    [null, 0],
  ]);
});
