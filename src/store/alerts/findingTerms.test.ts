import { expect, it } from 'vitest';
import { randomFinding } from '../../../test/support/randomAlerts.ts';
import { createRandom } from '../../../testing/createRandom.ts';
import type { Store } from '../db.ts';
import { findingTerms, prepareTerms, saveWords, suppress } from './findingTerms.ts';

it('suppresses a finding without saving its words again, with the terms that it would get by itself', async () => {
  let asked = 0;
  const answer = async (): Promise<never[]> => {
    asked++;
    return [];
  };
  const db = { isDistributed: async () => false, query: answer, repeated: answer, prepared: answer };
  const store: Store = {
    ...db,
    transaction: (work) => work(db),
    stats: () => ({ total: 0, idle: 0, waiting: 0 }),
    close: async () => {},
  };
  const random = createRandom('suppressed findings');
  const place = { tenantId: 1, projectId: 1, contractId: 1 };
  const findings = Array.from({ length: 20 }, (_, n) => randomFinding(random, place, n, 0, 1000));
  await prepareTerms(store, findings);
  expect(asked).toBeGreaterThan(0);
  asked = 0;
  const suppressed = findings.map(suppress);
  await saveWords(db, suppressed);
  expect(asked).toBe(0);
  for (const [index, finding] of suppressed.entries()) {
    expect(finding).toEqual({ ...findings[index], suppressed: true });
    expect(await findingTerms(finding)).toEqual(await findingTerms({ ...finding }));
  }
});
