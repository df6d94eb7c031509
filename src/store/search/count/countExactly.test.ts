import { afterAll, beforeAll, expect, it } from 'vitest';
import { raiseAll, randomFinding, randomPattern } from '../../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import { adopt } from '../../../alerts/adoptPending.ts';
import { type Sql, sql } from '../../../lib/sql.ts';
import { retractAlerts, uncountRetracted } from '../../alerts/retractAlerts.ts';
import type { Db, Store } from '../../db/db.ts';
import { openStore } from '../../db/openStore.ts';
import { compileRepeated } from '../compile/compileRepeated.ts';
import { alertTable } from '../documents/alertTable.ts';
import { contractScope, ownTenantsScope } from '../documents/documentScopes.ts';
import type { DocumentScope } from '../documents/documentTable.ts';
import { packRollups } from '../months/packRollups.ts';
import { countExactly } from './countExactly.ts';
import { countHits } from './countHits.ts';
import { countUpTo } from './countUpTo.ts';

const random = createRandom('exact totals');
const [from, to] = [Date.UTC(2025, 10, 20), Date.UTC(2026, 2, 10)];
const inJanuary = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 31) };
const place = { tenantId: 1, projectId: 1, contractId: 1 };
const contract = contractScope({ id: 1, tenantId: 1 }, 'detector');
const tenant = ownTenantsScope({ all: false, tenantIds: [1], organisationIds: [] });
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let raised = 0;

const raiseSome = (size: number, span = { from, to }, contractIds = [1, 2]) =>
  raiseAll(
    store,
    Array.from({ length: size }, () => {
      raised += 1;
      return randomFinding(
        random,
        { ...place, contractId: random.pick(contractIds) },
        raised,
        span.from,
        span.to,
      );
    }),
  );

beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  await raiseSome(600);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** The total, and how many parts of the time were read for it. */
async function count(scope: DocumentScope, query: string, limit = 1_000_000) {
  let parts = 0;
  const read = (statement: Sql) => {
    parts += 1;
    return store.query<never>(statement);
  };
  const compiled = await compileRepeated(store, alertTable, scope, { query }, to);
  const db: Db = { ...store, query: read };
  const total = await countExactly(db, alertTable, scope, compiled, { limit, now: to });
  expect(total, query).toBe(await countUpTo(store, alertTable, compiled.condition, limit));
  return { total, parts };
}

async function retractOne(span: { from: number; to: number }): Promise<void> {
  const [key] = await store.query<{ tenantId: number; timestamp: number; uid: string }>(
    sql`select tenant_id as "tenantId", timestamp, uid::text from alert where contract_id = 1
      and timestamp between ${span.from} and ${span.to} and retracted_at is null limit 1`,
  );
  await store.transaction(async (tx) => uncountRetracted(tx, await retractAlerts(tx, [key!], 'DROPPED', to)));
}

/** A pending alert of January gets the text of its block in March. */
async function adoptOne(): Promise<void> {
  raised += 1;
  const drawn = randomFinding(random, place, raised, inJanuary.from, inJanuary.to);
  const finding = { ...drawn, kind: 'detector' as const, group: 'SECURITY' as const, message: 'transfer' };
  await raiseAll(store, [finding]);
  const { total } = await count(contract, 'message:transfer');
  const [alert] = await store.query<{ uid: string }>(
    sql`select uid::text from alert where timestamp = ${finding.timestamp} and message = 'transfer'`,
  );
  const held = { uid: alert!.uid, txHash: '0x1', tenantId: 1, source: 'detector 1', place: '0' };
  const pending = { ...held, timestamp: finding.timestamp, incidentUid: null, isRetracted: false };
  await store.transaction((tx) =>
    adopt(tx, 'anvil', [[{ ...finding, message: 'nothing' }, pending]], [], to),
  );
  const compiled = await compileRepeated(store, alertTable, contract, { query: 'message:transfer' }, to);
  expect(await countUpTo(store, alertTable, compiled.condition, 1_000_000)).toBe(total - 1);
}

it('reads ended months once, and again after an alert of theirs has come, changed or been retracted', async () => {
  const first = await count(contract, 'message:transfer');
  expect(first.total).toBeGreaterThan(0);
  expect(first.parts).toBe(5);
  expect(await count(contract, 'message:transfer')).toEqual({ total: first.total, parts: 1 });
  const changes: (() => Promise<unknown>)[] = [
    () => raiseSome(30, inJanuary, [1]),
    () => retractOne(inJanuary),
    adoptOne,
  ];
  for (const change of changes) {
    await change();
    expect((await count(contract, 'message:transfer')).parts).toBe(2);
    expect((await count(contract, 'message:transfer')).parts).toBe(1);
  }
});

it('keeps nothing of what changes without an alert', async () => {
  const isKept = async (query: string) =>
    (await compileRepeated(store, alertTable, contract, { query }, to)).monthCounts !== undefined;
  for (const query of [
    'message:transfer OR tags:defi',
    'transfer',
    'status:RESOLVED',
    'finality:HEAD',
    'incidentUid:*',
  ])
    expect([query, await isKept(query)]).toEqual([query, false]);
  for (const query of ['message:transfer AND NOT meta.token:x', 'severity:HIGH', 'name:/a.*/'])
    expect([query, await isKept(query)]).toEqual([query, true]);
  const before = await count(contract, 'numericSeverity:>0 AND NOT tags:new');
  await store.query(
    sql`update alert set tags = '{new}' where timestamp between ${inJanuary.from} and ${inJanuary.to}`,
  );
  expect((await count(contract, 'numericSeverity:>0 AND NOT tags:new')).total).toBeLessThan(before.total);
});

it('stops at a limit and keeps no count that it cut off', async () => {
  const { total } = await count(tenant, 'message:owner');
  for (const limit of [1, 5, total - 1, total, total + 1])
    expect((await count(tenant, 'message:owner', limit)).total).toBe(Math.min(limit, total));
  const scope = contractScope({ id: 2, tenantId: 1 }, 'detector');
  await count(scope, 'message:paused', 7);
  await count(scope, 'message:paused');
});

it('counts what one statement counts, whatever is asked, while alerts come and go and months are packed', async () => {
  const queries = Array.from({ length: 12 }, () => randomPattern(random));
  for (let round = 0; round < 60; round++) {
    if (round % 10 === 5) await raiseSome(5);
    if (round % 10 === 8) await retractOne({ from, to });
    if (round === 30) await packRollups(store, to, new AbortController().signal);
    await count(random.pick([contract, tenant]), random.pick(queries));
  }
});

it('is how totals beyond the default limit are counted', async () => {
  const compiled = await compileRepeated(store, alertTable, contract, { query: 'message:vault*' }, to);
  const total = await countUpTo(store, alertTable, compiled.condition, 10_000);
  for (const limit of [10_000, 10_001]) {
    expect(await countHits(store, alertTable, contract, compiled, { limit, now: to })).toBe(total);
    expect(compiled.monthCounts?.size).toBe(limit > 10_000 ? 4 : 0);
  }
});
