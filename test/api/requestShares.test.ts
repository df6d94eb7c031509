import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { tally } from '../support/together.ts';

let api: TestApi;
let beside: Store;
let greedy: string;
let modest: string;
beforeAll(async () => {
  api = await startTestApi();
  beside = openStore(api.connection, () => {});
  for (const name of ['Greedy', 'Modest']) {
    const { id } = await api.ok('POST', 'tenant', { name });
    await api.ok('POST', 'project', { tenantId: id, name: 'P' });
    const token = await api.token(id, 'tenant-viewer');
    if (name === 'Greedy') greedy = token;
    else modest = token;
  }
});
afterAll(async () => {
  await beside.close();
  await api.stop();
});

/** Runs `work` while nobody can read projects. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  return beside.transaction(async (tx) => {
    await tx.query(sql`lock table project in access exclusive mode`);
    return work();
  });
}

it('a tenant whose requests all wait leaves room for those of another', async () => {
  const waiting = await whileLocked(async () => {
    const waiting = Array.from({ length: 60 }, () =>
      api.call('GET', 'project/1', undefined, { token: greedy }),
    );
    let answered = 0;
    for (const request of waiting) void request.then(() => answered++);
    const answer = await api.call('GET', 'destination/1', undefined, { token: modest });
    expect(answer.status).toBe(404);
    expect(answered).toBe(0);
    return waiting;
  });
  expect(tally(await Promise.all(waiting))).toEqual({ 200: 60 });
});

it('searches beyond the line of a tenant are refused with the reason, those of another are answered', async () => {
  await whileLocked(async () => {
    const waiting = Array.from({ length: 70 }, () =>
      api.call('POST', 'project/search', {}, { token: greedy }),
    );
    const refused = await Promise.race(waiting);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate-limited', limit: 50 } });
    expect(refused.body.detail).toContain('50 searches and reports of the tenant are waiting already');
    expect(refused.headers.get('retry-after')).toBe('2');
    void Promise.all(waiting);
  });
  const answer = await api.call('POST', 'project/search', {}, { token: modest });
  expect(answer.status).toBe(200);
});
