import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { storableJson } from '../../../lib/json.ts';
import { sql } from '../../../lib/sql.ts';
import { openStore } from '../../db/openStore.ts';
import { type AlertRow, alertColumns, selectRows } from './alertColumns.ts';

it('stores whatever text an alert has as JSON would, with nulls where they were', async () => {
  const random = createRandom('alert columns');
  const pieces = [
    '"',
    '\\',
    '{',
    '}',
    ',',
    ' ',
    'NULL',
    '',
    '\0',
    '\ud800',
    '\udc00',
    '😀',
    '\n',
    "'",
    'é',
    '$1',
    'word',
  ];
  const text = () => Array.from({ length: random.integer(0, 5) }, () => random.pick(pieces)).join('');
  const maybe = <Value>(value: () => Value) => (random.random() < 0.3 ? null : value());
  const row = (): AlertRow => ({
    tenant_id: 1,
    timestamp: random.integer(0, 1e9) * 1000,
    contract_id: random.integer(1, 9),
    project_id: 1,
    uid: randomUUID(),
    incident_uid: maybe(randomUUID),
    incident_at: maybe(() => 12),
    detector_id: maybe(() => 2 ** 53 - 1),
    detector_schema_name: maybe(text),
    trigger_id: undefined,
    action_id: null,
    wallet_id: maybe(() => 3),
    block_number: maybe(() => 0),
    numeric_severity: 50,
    is_resolved: false,
    suppressed: random.random() < 0.5,
    backfilled: false,
    kind: 'detector',
    alert_group: 'SECURITY',
    name: text(),
    message: text(),
    eid: maybe(text),
    eid_rest: maybe(text),
    tx_hash: maybe(text),
    tx_hash_bytes: maybe(() => `\\x${'0aF9'.repeat(random.integer(0, 8))}`),
    chain_uid: maybe(text),
    block_hash: undefined,
    block_hash_bytes: undefined,
    is_pending: maybe(() => true),
    interceptor_type: maybe(text),
    trigger_type: maybe(text),
    wallet_name: maybe(text),
    wallet_chain_uid: undefined,
    wallet_address: maybe(text),
    tags: Array.from({ length: random.integer(0, 3) }, text),
    meta: { [text()]: [text(), null, 1.5, { deep: text() }] },
    odd_words: maybe(() => ({ [text()]: text() })),
    terms: Array.from({ length: random.integer(0, 4) }, () => random.integer(-5, 5)),
  });
  const rows = Array.from({ length: 200 }, row);
  const database = await createTestDatabase('migrated');
  const store = openStore(database.config, () => {});
  try {
    const [first] = rows;
    const own = [
      'timestamp',
      'uid',
      'name',
      'message',
      'eid',
      'tags',
      'meta',
      'odd_words',
      'terms',
      'tx_hash',
    ];
    const ofOneDetector = rows.map((row) => ({
      ...first!,
      ...Object.fromEntries(Object.entries(row).filter(([name]) => own.includes(name))),
    }));
    for (const some of [rows, ofOneDetector, ...rows.slice(0, 20).map((one) => [one])]) {
      const byColumns = await store.query(selectRows(some));
      const byJson = await store.query(
        sql`select ${alertColumns} from json_populate_recordset(null::alert, ${storableJson(some)}::json)`,
      );
      expect(byColumns, `SEED=${random.seed}`).toEqual(byJson);
      expect(byColumns).toHaveLength(some.length);
    }
  } finally {
    await store.close();
    await database.drop();
  }
});
