import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raiseAll, randomFinding, randomPattern } from '../../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { alertUid } from '../../../alerts/alertUid.ts';
import { sql } from '../../../lib/sql.ts';
import type { Finding } from '../../../model/alert.ts';
import { compile } from '../../../query/lucene/compile.ts';
import { createMatcher } from '../../../query/lucene/createMatcher.ts';
import { createSubject } from '../../../query/lucene/createSubject.ts';
import { parseQuery } from '../../../query/lucene/parseQuery.ts';
import { tagAlert } from '../../alerts/alertRecords.ts';
import { onlyRow, type Store } from '../../db/db.ts';
import { openStore } from '../../db/openStore.ts';
import { alertTable } from '../documents/alertTable.ts';
import { incidentUidSql } from '../documents/incidentUidSql.ts';
import { createWordList, dropOldWords, insertWords, wordFields } from '../terms/alertWords.ts';
import { reindexAlerts } from '../terms/reindexAlerts.ts';
import { compileQuery } from './compileQuery.ts';
import { expandPatterns } from './expandPatterns.ts';

const place = { tenantId: 1, projectId: 2, contractId: 3 };
const [from, to] = [Date.UTC(2026, 0, 20), Date.UTC(2026, 2, 10)];
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let findings: Finding[];
/** The incidents of the alerts, whose uids a pattern may fit too. */
let incidents: Map<string, string | null>;

beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  const random = createRandom('words');
  findings = Array.from({ length: 250 }, (_, n) => randomFinding(random, place, n, from, to));
  await raiseAll(store, findings);
  // What only another tenant has must not be needed by this one.
  await raiseAll(
    store,
    Array.from({ length: 20 }, (_, n) => randomFinding(random, { ...place, tenantId: 2 }, n, from, to)),
  );
  const rows = await store.query<{ uid: string; incidentUid: string | null }>(
    sql`select uid::text, ${incidentUidSql}::text as "incidentUid" from alert t`,
  );
  incidents = new Map(rows.map(({ uid, incidentUid }) => [uid, incidentUid]));
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

describe('patterns', () => {
  it('find what the matcher finds with the dictionary, without it, and where it has skipped words', async () => {
    const random = createRandom('patterns');
    const queries = Array.from({ length: 40 }, () => randomPattern(random));
    const used = await compareAll(queries);
    expect(used).toBeGreaterThan(10);

    await store.query(sql`update alert_terms_state set version = 2`);
    const other = openStore(database.config, () => {});
    expect(await countWith(other, 'message:tra*')).toBe(expected('message:tra*').length);
    await other.close();
    await store.query(sql`update alert_terms_state set version = 3`);

    const grow = (count: number) =>
      store.query(sql`update alert_word_field set words = words + ${count} where tenant_id = 1`);
    await grow(600_000);
    // Fields without any words are still known to have none.
    expect(await compareAll(queries.slice(0, 10))).toBeLessThan(used);
    await grow(-600_000);

    const { words, noteAlert } = createWordList();
    noteAlert(1, to)('message')?.('unheardof');
    await insertWords(store, words, 1);
    expect(await compareAll(queries.slice(0, 15))).toBeLessThan(used);
    // On Citus the shards of tenants that are there are gone through.
    await store.query(
      sql`insert into tenant (id, created_at, updated_at, name) values (1, 1, 1, 'One'), (2, 1, 1, 'Two')`,
    );
    // Its alerts have left by then.
    await dropOldWords(store, Date.UTC(2026, 6, 1));
    expect(await store.query(sql`select 1 from alert_word`)).toEqual([]);
    expect(
      await store.query(sql`select 1 from alert_word_field where words <> 0 or skipped_month is not null`),
    ).toEqual([]);
    await store.query(sql`update alert_terms_state set version = 2`);
    expect(await reindexAlerts(store)).toBe(true);
    expect(await compareAll(queries)).toBe(used);
  });

  it('patterns of two digits of an address are terms of the index, whatever else begins so', async () => {
    const hex = 'c0ffee'.repeat(7);
    const texts = [
      '0x6b',
      '0x61',
      '0x6b-1',
      '0x6bzz',
      '0x6b.5',
      '0X6B4F',
      '0x6C00',
      `0x6b${hex.slice(2, 40)}`,
      `paid 0x61${hex}`,
    ];
    const added = texts.map((text, n) => ({
      ...findings[0]!,
      key: `address ${n}`,
      timestamp: to,
      message: `to ${text}`,
      txHash: n % 2 === 0 ? text : null,
      meta: { from: text, list: [text, 'other'] },
    }));
    await raiseAll(store, added);
    findings.push(...added);
    const patterns = ['0x6b*', '0X6B*', '0x61*', '0x6b*f*', '/0x6b.+/', '0x6?*'];
    const fields = ['meta.from.keyword:', 'meta.from:', 'meta.list:', 'message:', 'txHash:', ''];
    await compareAll(fields.flatMap((field) => patterns.map((pattern) => `${field}${pattern}`)));
    for (const query of ['meta.from.keyword:0x6b*', 'meta.from:0x6b*', 'txHash:0x6b*'])
      expect(await compareAll([query]), query).toBeGreaterThan(0);
  });

  it('find new tags, and words whose transaction was rolled back and came again', async () => {
    const finding = { ...findings[0]!, key: 'again', message: 'qwertz', timestamp: to };
    const attempt = store.transaction(async (tx) => {
      await raiseInside(tx, finding);
      throw new Error('rolled back');
    });
    await expect(attempt).rejects.toThrow('rolled back');
    expect(await countWith(store, 'message:/qwe.*/')).toBe(0);
    await store.transaction((tx) => raiseInside(tx, finding));
    expect(await countWith(store, 'message:/qwe.*/')).toBe(1);
    const key = { tenantId: 1, timestamp: to, uid: alertUid(finding) };
    await tagAlert(store, key, { former: finding.tags, now: ['triaged'] });
    expect(await countWith(store, 'tags:*iage?')).toBe(1);
  });
});

async function raiseInside(tx: Parameters<Parameters<Store['transaction']>[0]>[0], finding: Finding) {
  const { raiseAlerts } = await import('../../../alerts/raiseAlerts.ts');
  await raiseAlerts(tx, [finding]);
}

/** Returns how many patterns the dictionary answered. */
async function compareAll(queries: readonly string[]): Promise<number> {
  const wrong: unknown[] = [];
  let used = 0;
  for (const query of queries) {
    const [found, right] = [await countWith(store, query), expected(query).length];
    if (found !== right) wrong.push({ query, found, right });
    const { predicate } = compile(parseQuery(query), alertTable.mapping, 0, 1e6);
    used += (await expandPatterns(store, predicate, alertTable.columns, [1])).size;
  }
  expect(wrong).toEqual([]);
  return used;
}

function expected(query: string): Finding[] {
  const { predicate } = compile(parseQuery(query), alertTable.mapping, 0, 1e6);
  const matches = createMatcher(predicate);
  return findings.filter((finding) => {
    const { key: _key, ...document } = finding;
    return matches(
      createSubject({
        ...document,
        uid: alertUid(finding),
        incidentUid: incidents.get(alertUid(finding)),
        status: 'UNRESOLVED',
        finality: 'FINAL',
        suppressed: false,
      }),
    );
  });
}

async function countWith(db: Store, query: string): Promise<number> {
  const scope = { condition: sql`t.tenant_id = 1`, tenantIds: [1] };
  const condition = await compileQuery(db, alertTable, scope, { query }, 0);
  return onlyRow(
    await db.query<{ count: number }>(sql`select count(*) as count from alert t where ${condition}`),
  ).count;
}

it('has numbers for the fields that are stored', () => {
  expect([...wordFields].slice(0, 3)).toEqual([
    ['name', 1],
    ['message', 2],
    ['walletName', 3],
  ]);
});
