import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { sql } from '../../src/lib/sql.ts';
import { runHousekeeping } from '../../src/runtime/startHousekeeping.ts';
import type { Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { ensurePartitions } from '../../src/store/search/months/partitions.ts';
import { rebuildIndexes } from '../../src/store/search/months/rebuildIndexes.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { randomFinding } from '../support/randomAlerts.ts';

const now = Date.UTC(2020, 11, 15);
const october = { from: Date.UTC(2020, 9, 1), to: Date.UTC(2020, 9, 30) };
const owner = { tenantId: 1, projectId: 1, contractId: 1 };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let other: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  other = openStore(database.config, () => {});
});
afterAll(async () => {
  await store.close();
  await other.close();
  await database.drop();
});

describe('keeping house', () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const chains = { isConfigured: () => false, client: () => undefined };
  const tidy = (db: Store) =>
    runHousekeeping(
      { store: db, chains, hsm: undefined, retentionDays: 32, now: () => now, log },
      new AbortController().signal,
    );
  const random = createRandom('keeping house');
  let count = 0;
  const raiseSome = async (db: Store) => {
    const findings = Array.from({ length: 3 }, () =>
      randomFinding(random, owner, ++count, october.from, october.to),
    );
    await prepareRaise(db, findings);
    return db.transaction((tx) => raiseAlerts(tx, findings));
  };
  const rollups = async () =>
    (await store.query(sql`select 1 from alert_rollup where day < ${october.to / 86_400_000}`)).length;

  it('drops what is too old, with its roll-ups, though something before it fails', async () => {
    await raiseSome(store);
    expect(await rollups()).toBeGreaterThan(0);
    await store.query(sql`alter table idempotency_key rename to away`);
    await tidy(store);
    await store.query(sql`alter table away rename to idempotency_key`);
    expect(lines.join('')).toContain('Purging idempotent replies failed; retrying');
    expect(lines).toHaveLength(1);
    expect(await store.query(sql`select to_regclass('alert_2020_10')::text as name`)).toEqual([
      { name: null },
    ]);
    expect(await rollups()).toBe(0);
  });

  it('completes the summaries of block numbers', async () => {
    const summarize = () =>
      store.query<{ count: number }>(
        sql`select brin_summarize_new_values(inhrelid::regclass) as count from pg_inherits
          where inhparent = 'alert_block'::regclass`,
      );
    const finding = randomFinding(random, owner, ++count, now, now);
    await prepareRaise(store, [finding]);
    await store.transaction((tx) => raiseAlerts(tx, [finding]));
    await tidy(store);
    expect((await summarize()).filter((month) => month.count > 0)).toEqual([]);
  });

  it('leaves no process that believes in a month which another has dropped', async () => {
    expect(await raiseSome(store)).toHaveLength(3);
    expect(await raiseSome(other)).toHaveLength(3);
    await tidy(other);
    expect(await raiseSome(store)).toHaveLength(3);
  });

  it('makes a month once, however many processes want it at the same moment', async () => {
    const stores = Array.from({ length: 8 }, () => openStore(database.config, () => {}));
    try {
      for (let year = 2000; year < 2005; year++)
        await Promise.all(stores.map((each) => ensurePartitions(each, 'alert', [Date.UTC(year, 5)])));
    } finally {
      await Promise.all(stores.map((each) => each.close()));
    }
    const made = await store.query(sql`select 1 from pg_class where relname like 'alert_200__06'`);
    expect(made).toHaveLength(5);
  });

  it('rebuilds the indexes of a month after its end, once, also after a process that died at it', async () => {
    const settled = Date.UTC(2021, 1, 10);
    const rebuild = (at: number) => rebuildIndexes(store, { now: at }, new AbortController().signal);
    const indexes = () =>
      store.query<{ name: string; file: number; isValid: boolean }>(
        sql`select c.relname as name, c.relfilenode::int as file, x.indisvalid as "isValid"
          from pg_index x join pg_class c on c.oid = x.indexrelid
          where x.indrelid = 'alert_2021_01'::regclass order by 1`,
      );
    await ensurePartitions(store, 'alert', [Date.UTC(2021, 0)]);
    const before = await indexes();
    await rebuild(Date.UTC(2021, 1, 2));
    expect(await indexes()).toEqual(before);

    await store.query(sql`insert into rebuilt_month values ('alert_2021_01', ${settled}, false)`);
    await store.query(sql`create index alert_2021_01_pkey_ccnew on alert_2021_01 (uid)`);
    await store.query(
      sql`update pg_index set indisvalid = false where indexrelid = 'alert_2021_01_pkey_ccnew'::regclass`,
    );
    await rebuild(settled + 3_600_000);
    expect(await indexes()).toHaveLength(before.length + 1);

    await rebuild(settled + 2 * 86_400_000);
    const after = await indexes();
    expect(after.map(({ name, isValid }) => [name, isValid])).toEqual(before.map(({ name }) => [name, true]));
    const files = new Map(before.map(({ name, file }) => [name, file]));
    const kept = after.filter(({ name, file }) => files.get(name) === file).map(({ name }) => name);
    expect(kept).toEqual(['alert_2021_01_block_number_idx', 'alert_2021_01_terms_idx']);
    await rebuild(settled + 9 * 86_400_000);
    expect(await indexes()).toEqual(after);
  });

  it('fills the pages of the index of terms of an ended month, once', async ({ skip }) => {
    const rebuild = () => rebuildIndexes(store, { now: Date.UTC(2022, 2, 10) }, new AbortController().signal);
    await ensurePartitions(store, 'alert', [Date.UTC(2022, 1)]);
    // A third of the terms of an alert no other has; another third few have.
    await store.query(
      sql`insert into alert (tenant_id, timestamp, contract_id, project_id, uid, numeric_severity, kind, alert_group, name,
            message, eid, terms)
        select 1, ${Date.UTC(2022, 1)}::bigint + n, 1, 1, gen_random_uuid(), 10, 'detector', 'SECURITY', 'Name', 'Text', n::text,
          array(select hashint8(n * 30 + k) from generate_series(1, 10) k)
            || array(select hashint8(n * 77 % 9973 * 10 + k) from generate_series(100, 109) k)
            || array(select k from generate_series(1, 10) k)
        from generate_series(1, 6000) n`,
    );
    const bytes = async (index: string) =>
      (await store.query<{ bytes: number }>(sql`select pg_relation_size(${index}) as bytes`))[0]?.bytes ?? 0;
    const found = () =>
      store.query(
        sql`select count(*)::int as count from alert_2022_02 where terms && array[7] and terms && array[hashint8(30001)]`,
      );
    if (await store.isDistributed()) {
      const files = () =>
        store.query<{ success: boolean; result: string }>(
          sql`select success, result from run_command_on_workers(${`select string_agg(relname || ' ' || relfilenode, ', '
            order by relname) from pg_class where relname ~ '^alert_2022_02_terms_idx_[0-9]+$'`})`,
        );
      const before = await files();
      expect(before.filter(({ success, result }) => success && result.includes('terms_idx'))).not.toEqual([]);
      await rebuild();
      expect(await files()).toEqual(before);
      skip(
        'On Citus the index of terms stays as it is, which was checked: full pages take memory of a certain size, and a session ' +
          'of a worker in which a coordinator rebuilds an index has the size that is set for that worker.',
      );
    }
    await store.query(sql`create index built_at_once on alert_2022_02 using gin (terms)`);
    const atOnce = await bytes('built_at_once');
    await store.query(sql`drop index built_at_once`);
    await rebuild();
    const rebuilt = await bytes('alert_2022_02_terms_idx');
    expect(rebuilt / atOnce).toBeLessThan(0.8);
    expect(await found()).toEqual([{ count: 1 }]);
    const file = () => store.query(sql`select pg_relation_filenode('alert_2022_02_terms_idx') as file`);
    const before = await file();
    await rebuild();
    expect(await file()).toEqual(before);
  });

  it('rebuilds the keys of roll-ups and words after each month, once', async () => {
    const rebuild = (month: number) =>
      rebuildIndexes(store, { now: Date.UTC(2024, month, 10) }, new AbortController().signal);
    await ensurePartitions(store, 'alert', [Date.UTC(2023, 10), Date.UTC(2023, 11)]);
    await store.query(
      sql`insert into alert_rollup (tenant_id, contract_id, day, recent)
        select 7, contract, day, '{4096}' from generate_series(1, 300) day, generate_series(1, 100) contract
        order by hashint8(1000 * contract + day)`,
    );
    await store.query(
      sql`insert into alert_word (tenant_id, field, is_shape, word, month)
        select 7, 1, false, md5(n::text), 1 from generate_series(1, 20000) n`,
    );
    const keys = () =>
      store.query<{ bytes: number; file: number }>(
        sql`select pg_relation_size(c.oid) as bytes, c.relfilenode::int as file from pg_class c
          where c.relname in ('alert_rollup_pkey', 'alert_word_pkey') order by c.relname`,
      );
    const sizes = async () => (await keys()).map(({ bytes }) => bytes);
    const before = await sizes();
    await rebuild(0);
    const after = await keys();
    // On Citus the workers have the roll-ups.
    if (!(await store.isDistributed()))
      for (const [place, bytes] of (await sizes()).entries())
        expect(bytes).toBeLessThan(0.85 * (before[place] ?? 0));
    await rebuild(0);
    expect(await keys()).toEqual(after);
    await ensurePartitions(store, 'alert', [Date.UTC(2024, 0)]);
    await rebuild(1);
    expect((await keys()).map(({ file }) => file)).not.toEqual(after.map(({ file }) => file));
    await store.query(sql`delete from alert_rollup where tenant_id = 7`);
    await store.query(sql`delete from alert_word where tenant_id = 7`);
  });

  it('gives up on what others hold instead of letting everybody wait behind it', async () => {
    // A rebuild that is due waits for transactions that are open on the workers of Citus.
    await rebuildIndexes(store, { now }, new AbortController().signal);
    lines.length = 0;
    await store.transaction(async (tx) => {
      await tx.query(sql`select 1 from alert limit 1`);
      await tidy(other);
      expect(await raiseSome(other)).toHaveLength(3);
    });
    expect(lines.join('')).toContain('Dropping old alerts failed; retrying within the hour');
  });
});
