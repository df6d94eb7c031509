import { afterAll, beforeAll, expect, it } from 'vitest';
import { raiseAll, randomFinding, randomPattern } from '../../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import { createTestDatabase } from '../../../../testing/createTestDatabase.ts';
import type { Finding } from '../../../model/alert.ts';
import type { Store } from '../../db/db.ts';
import { openStore } from '../../db/openStore.ts';
import { alertTable } from '../documents/alertTable.ts';
import { contractScope, ownTenantsScope } from '../documents/documentScopes.ts';
import type { DocumentScope } from '../documents/documentTable.ts';
import type { DocumentSearch } from '../searchDocuments.ts';
import { searchJson } from '../searchJson.ts';
import { compileRepeated } from './compileRepeated.ts';

const [from, to] = [Date.UTC(2026, 0, 20), Date.UTC(2026, 2, 10)];
const random = createRandom('repeated searches');
const names = ['uid', 'tenantId', 'contractId', 'message'];
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let count = 0;

const place = (contractId: number) => ({ tenantId: 1 + (contractId % 2), projectId: 1, contractId });
const raiseSome = (size: number) =>
  raiseAll(
    store,
    Array.from({ length: size }, (): Finding => {
      count += 1;
      return randomFinding(random, place(random.integer(1, 4)), count, from, to);
    }),
  );
const contractAlerts = (id: number) => contractScope({ id, tenantId: place(id).tenantId }, 'detector');
const tenantAlerts = (id: number) => ownTenantsScope({ all: false, tenantIds: [id], organisationIds: [] });
const scopes = [1, 2, 3, 4].map(contractAlerts).concat([1, 2].map(tenantAlerts));

/** In a transaction nothing is kept, so that the search is compiled for this call alone. */
const searchOnce = (scope: DocumentScope, search: DocumentSearch, now: number) =>
  store.transaction((tx) => searchJson(tx, alertTable, scope, search, names, now));

beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  await raiseSome(150);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

it('finds what a search that is compiled for this call alone finds, while alerts and words are added', async () => {
  const plain = [
    '',
    'transfer',
    'message:"owner paused"',
    'severity:HIGH OR x',
    'retractedAt:*',
    'meta.\\*:500',
  ];
  const queries = [...plain, ...Array.from({ length: 10 }, () => randomPattern(random))];
  for (let round = 0; round < 150; round++) {
    if (round % 15 === 14) await raiseSome(10);
    const search: DocumentSearch = {
      query: random.pick(queries),
      from: random.pick([0, 0, 3]),
      size: random.pick([0, 5, 10]),
      ...(random.chance(0.2) ? { sort: [{ field: 'numericSeverity', order: 'desc' } as const] } : {}),
    };
    const scope = random.pick(scopes);
    const found = await searchJson(store, alertTable, scope, search, names, to);
    expect(found, JSON.stringify([scope.key, search])).toBe(await searchOnce(scope, search, to));
  }
});

it('keeps what is asked again, for its own scope only, and nothing that depends on the time or on rows', async () => {
  const compiled = (scope: DocumentScope, query: string, now = to) =>
    compileRepeated(store, alertTable, scope, { query }, now);
  const [one, other] = [contractAlerts(1), contractAlerts(2)];
  // Statistics are read beside the first searches.
  const isKept = async () => {
    const first = await compiled(one, 'owner');
    return first === (await compiled(one, 'owner'));
  };
  await expect.poll(isKept).toBe(true);
  expect(await compiled(contractAlerts(1), 'owner')).toBe(await compiled(one, 'owner'));
  expect(await compiled(other, 'owner')).not.toBe(await compiled(one, 'owner'));
  const foreign = contractScope({ id: 1, tenantId: 2, isForeign: true }, 'detector');
  expect(await compiled(foreign, 'owner')).not.toBe(await compiled(one, 'owner'));
  for (const query of ['timestamp:>now-1d', 'timestamp:>n\\ow-1d', 'meta.t\\*:500'])
    expect(await compiled(one, query), query).not.toBe(await compiled(one, query));
  const newest = { query: 'timestamp:[now-1d TO now]' };
  for (const now of [from + 86_400_000, to])
    expect(await searchJson(store, alertTable, one, newest, names, now)).toBe(
      await searchOnce(one, newest, now),
    );
});
