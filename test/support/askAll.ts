import { expect } from 'vitest';
import { alertTable } from '../../src/store/search/documents/alertTable.ts';
import type { Json, TestApi } from '../../testing/startTestApi.ts';
import { exampleBody, recordAt } from '../api/support/newBody.ts';
import { endpoints } from '../api/support/observe.ts';
import type { World } from './createWorld.ts';

/**
 * Asks each endpoint, and searches alerts named `late`, of which there are some, in each of the ways to find them; without a token as
 * the administrator.
 */
export async function askAll(api: TestApi, world: World, token?: string): Promise<void> {
  const as = token === undefined ? {} : { token };
  const found: Json = await api.ok('POST', 'alert/search', { query: 'late' }, as);
  const statuses = new Map<number, number>();
  const ask = async (method: string, path: string, body?: Json) => {
    const { status } = await api.call(method, path, body, as);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  for (const endpoint of endpoints.filter(({ method }) => method !== 'DELETE')) {
    if (/stream|login|logout|session/.test(endpoint.path)) continue;
    const path = endpoint.path
      .slice(1)
      .replace('{id}', String(recordAt(world, endpoint.path).id))
      .replace(/\{\w+\}/, String(found.data[0].uid));
    await ask(endpoint.method, path, exampleBody(endpoint).body);
  }
  const sorts = [...alertTable.columns.keys(), 'meta.amount'].map((field) => [{ field }]);
  const words = ['late', 'number AND 3', 'meta.amount:>2', 'finality:FINAL', 'message:/n.*r/', '*'];
  for (const query of words)
    for (const body of [{ query }, { query, from: 2, size: 3 }, { query, size: 500 }, { query, from: 900 }])
      await ask('POST', 'alert/search', body);
  for (const sort of sorts) {
    await ask('POST', 'alert/search', { sort });
    await ask('POST', 'alert/search', { sort, query: 'late', from: 3 });
  }
  for (const field of ['severity', 'tags', 'meta.amount', 'finality', 'contractId'])
    await ask('POST', 'alert/aggregation', { query: 'late', aggregation: [{ name: 'a', field }] });
  expect(statuses.get(200)).toBeGreaterThan(100);
}
