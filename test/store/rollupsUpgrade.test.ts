import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { Store } from '../../src/store/db/db.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { unpackedRollups } from '../../src/store/search/rollups/rollups.ts';
import { createDatabaseBefore } from '../support/createDatabaseBefore.ts';

let database: Awaited<ReturnType<typeof createDatabaseBefore>>;
let store: Store;
beforeAll(async () => {
  database = await createDatabaseBefore('0050_packed_rollups.sql');
  store = openStore(database.config, () => {});
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

it('a database of before keeps what its roll-ups counted', async () => {
  const { client } = database;
  const day = Date.UTC(2026, 0, 30);
  const cells = (cell: number, count: number) =>
    `array[${Array.from({ length: 20 }, (_, n) => (n === cell ? count : 0)).join()}]`;
  const quarters = Array.from(
    { length: 96 },
    (_, n) => `(1, 0, 900000, ${day + n * 900_000}, ${cells(n % 20, 1 + n)})`,
  );
  await client.query(`insert into alert_rollup values (1, 5, 900000, ${day + 900_000}, ${cells(19, 3)}),
    (1, 5, 86400000, ${day}, ${cells(19, 3)}), (1, 6, 900000, ${day}, ${cells(0, 3_000_000)}),
    (1, 7, 900000, ${day}, ${cells(0, 0)}), ${quarters.join()}`);
  expect(await migrate(database.config)).toContain('0050_packed_rollups.sql');
  const counted = await store.query(
    sql`select contract_id as owner, width_ms as width, count(*) as rows, sum(count)::int as count, min(start) as first, max(alert_group) as group
      from ${unpackedRollups} r group by 1, 2 order by 1, 2`,
  );
  expect(counted).toEqual([
    { owner: 0, width: 900_000, rows: 96, count: 4656, first: day, group: 'trigger' },
    { owner: 0, width: 86_400_000, rows: 20, count: 4656, first: day, group: 'trigger' },
    { owner: 5, width: 900_000, rows: 1, count: 3, first: day + 900_000, group: 'trigger' },
    { owner: 5, width: 86_400_000, rows: 1, count: 3, first: day, group: 'trigger' },
    { owner: 6, width: 900_000, rows: 1, count: 3_000_000, first: day, group: 'SECURITY' },
    { owner: 6, width: 86_400_000, rows: 1, count: 3_000_000, first: day, group: 'SECURITY' },
  ]);
});
