import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

describe('a search that takes longer than its time limit', () => {
  it('is refused with a problem of its own, which says what to do', async ({ skip }) => {
    skip(await api.store.isDistributed(), 'On Citus no lock of the coordinator holds the shards.');
    const range = { from: Date.now() - 86_400_000, to: Date.now() };
    const asked: [path: string, body: object, advice: RegExp][] = [
      ['alert/search', { query: 'message:transfer' }, /shorter time/],
      [`contract/${world.contract.id}/detector/alert/search`, { query: '', size: 0 }, /shorter time/],
      ['alert/aggregation', { aggregation: [{ name: 'a', field: 'severity' }] }, /shorter time/],
      [`contract/${world.contract.id}/histogram`, { ...range, interval: '1d' }, /shorter time/],
      ['incident/search', { where: 'lastAt > 5' }, /an id or an equality/],
    ];
    // Whoever reads alerts waits for this transaction, as if reading took as long.
    const answers = await api.store.transaction(async (tx) => {
      await tx.query(sql`lock table alert, alert_rollup, incident in access exclusive mode`);
      return Promise.all(asked.map(([path, body]) => api.call('POST', path, body)));
    });
    for (const [index, [path, , advice]] of asked.entries()) {
      const { status, body, text } = answers[index]!;
      expect([status, body.code], `${path}: ${text}`).toEqual([400, 'search-too-slow']);
      expect(body).toMatchObject({
        type: '/docs/problem/search-too-slow',
        title: 'The search takes too long',
      });
      expect(body.detail, path).toMatch(/^The search takes too long\. Narrow it by /);
      expect(body.detail, path).toMatch(advice);
      expect(body.position, path).toBeUndefined();
    }
    for (const [path, body] of asked) expect((await api.call('POST', path, body)).status, path).toBe(200);
  });
});
