import { afterAll, beforeAll, expect, it } from 'vitest';
import { raiseAll, randomFinding } from '../../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { sql } from '../../../lib/sql.ts';
import type { Store } from '../../db/db.ts';
import { openStore } from '../../db/openStore.ts';
import { selectDocument } from '../searchDocuments.ts';
import { alertTable } from './alertTable.ts';
import { documentJson } from './documentJson.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
});

afterAll(async () => {
  await store.close();
  await database.drop();
});

it('writes alerts as PostgreSQL and JSON write their members, whatever they have', async () => {
  const random = createRandom('document json');
  const place = { tenantId: 1, projectId: 2, contractId: 3 };
  const hash = () => `0x${random.pick(['00', 'ab', '9f']).repeat(32)}`;
  const texts = ['"quoted" \\ back', 'line\nbreak\t', '😀 %s %1$s', "it's", ''];
  const findings = Array.from({ length: 300 }, (_, n) => {
    const finding = randomFinding(random, place, n, Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1));
    const txHash = random.pick([finding.txHash ?? null, hash(), 'plain "hash"', null]);
    return {
      ...finding,
      txHash,
      eid: random.pick([`${txHash ?? ''} ${n}`, `${n} ${random.pick(texts)}`]),
      blockHash: random.pick([null, hash(), '"']),
      blockNumber: random.pick([null, n]),
      ...(random.chance(0.5) ? { chainUid: 'anvil' } : {}),
      name: random.pick([finding.name, ...texts]),
      message: random.pick([finding.message, ...texts]),
      ...(random.chance(0.5) ? { detectorSchemaName: random.pick(texts) } : {}),
      tags: [...finding.tags, ...(random.chance(0.2) ? texts : [])],
      meta: random.pick([finding.meta, {}, { texts, number: 1e21 }]),
      suppressed: random.chance(0.5),
      backfilled: random.chance(0.5),
    };
  });
  await raiseAll(store, findings);
  const names = [...alertTable.columns.keys()];
  const rows = await store.query<{ json: string; document: Record<string, unknown> }>(
    sql`select ${documentJson(alertTable, names)} as json,
        (select row_to_json(d) from (select ${selectDocument(alertTable, names)}) d) as document
      from alert t order by t.timestamp, t.uid`,
  );
  expect(rows).toHaveLength(findings.length);
  for (const { json, document } of rows) {
    const read: Record<string, unknown> = JSON.parse(json);
    expect(read, `SEED=${random.seed}`).toEqual(document);
    expect(Object.keys(read)).toEqual(names);
  }
});

it('takes no column for one that every alert has which may be null', async () => {
  const nullable = await store.query<{ name: string }>(
    sql`select column_name as name from information_schema.columns
      where table_name = 'alert' and is_nullable = 'YES'`,
  );
  const required = [...alertTable.columns].filter(([, { isRequired }]) => isRequired);
  const stored = required.flatMap(
    ([, column]) => /^t\.(\w+)(?:::text)?$/.exec(column.sql.strings.join())?.[1] ?? [],
  );
  expect(stored.length).toBeGreaterThan(10);
  expect(nullable.map(({ name }) => name).filter((name) => stored.includes(name))).toEqual([]);
});
