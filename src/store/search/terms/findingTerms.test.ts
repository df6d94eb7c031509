import { expect, it } from 'vitest';
import { randomFinding } from '../../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../../testing/createRandom.ts';
import type { Db, Store } from '../../db/db.ts';
import { findingTerms, prepareTerms, rememberWords, saveWords, suppress, takeWords } from './findingTerms.ts';

const random = createRandom('finding terms');
const place = { tenantId: 1, projectId: 1, contractId: 1 };
const createFindings = () => Array.from({ length: 20 }, (_, n) => randomFinding(random, place, n, 0, 1000));

function createFakeStore() {
  const asked = { count: 0 };
  const answer = async (): Promise<never[]> => {
    asked.count++;
    return [];
  };
  const db = { isDistributed: async () => false, query: answer, repeated: answer, prepared: answer };
  const store: Store = {
    ...db,
    transaction: (work) => work({ ...db }),
    stats: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: async () => {},
  };
  return { asked, db, store };
}

it('has a transaction add deferred words once, and again until one of them is committed', async () => {
  const { asked, store } = createFakeStore();
  const findings = createFindings();
  const takeTwice = () =>
    store.transaction(async (tx) => [
      tx,
      (await takeWords(tx, findings.slice(0, 10))).length,
      (await takeWords(tx, findings)).length,
    ]);
  await prepareTerms(store, findings, true);
  const [, first] = await takeTwice();
  expect(first).toBeGreaterThan(20);
  const [committed, ...again] = await takeTwice();
  expect(again).toEqual([first, 0]);
  rememberWords(store, committed as Db);
  await prepareTerms(store, findings, true);
  expect((await takeTwice()).slice(1)).toEqual([0, 0]);
  expect(asked.count).toBe(0);
});

it('has each tenant add its own words, also where those of several were prepared at once', async () => {
  const { store } = createFakeStore();
  const findings = createFindings();
  const others = createFindings().map((finding) => ({ ...finding, tenantId: 2 }));
  await prepareTerms(store, [...findings, ...others], true);
  const words = await store.transaction((tx) => takeWords(tx, others));
  expect(words.length).toBeGreaterThan(20);
  expect(new Set(words.map(({ tenantId }) => tenantId))).toEqual(new Set([2]));
});

it('suppresses a finding without saving its words again, with the terms that it would get by itself', async () => {
  const { asked, db, store } = createFakeStore();
  const findings = createFindings();
  await prepareTerms(store, findings);
  expect(asked.count).toBeGreaterThan(0);
  asked.count = 0;
  const suppressed = findings.map(suppress);
  await saveWords(db, suppressed);
  expect(asked.count).toBe(0);
  for (const [index, finding] of suppressed.entries()) {
    expect(finding).toEqual({ ...findings[index], suppressed: true });
    expect(await findingTerms(finding)).toEqual(await findingTerms({ ...finding }));
  }
});
