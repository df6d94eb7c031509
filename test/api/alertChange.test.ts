import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { raiseAll, randomFinding } from '../support/randomAlerts.ts';
import { tally, together } from '../support/together.ts';
import { observe } from './support/observe.ts';

let plain: TestApi;
let api: TestApi;
let world: World;
let uids: string[];
beforeAll(async () => {
  plain = await startTestApi();
  api = observe(plain);
  world = await createWorld(api);
  const random = createRandom('changed alerts');
  const place = { tenantId: world.tenant.id, projectId: world.project.id, contractId: world.contract.id };
  const now = Date.now();
  const findings = Array.from({ length: 40 }, (_, n) =>
    randomFinding(random, place, n, now - 86_400_000, now),
  );
  await raiseAll(api.store, [{ ...findings[0]!, chainUid: 'anvil', blockNumber: 100 }, ...findings.slice(1)]);
  const { data } = await api.ok('POST', 'alert/search', { size: 100, sort: [{ field: 'uid' }] });
  uids = data.map(({ uid }: { uid: string }) => uid);
  await api.store.query(
    sql`insert into chain_cursor (chain_uid, head, confirmed, final, updated_at) values ('anvil', 100, 99, 99, 0)`,
  );
});
afterAll(() => api.stop());

describe('a change of an alert', () => {
  it('takes every alert back as it was read', async () => {
    for (const uid of uids) {
      const read = await api.ok('GET', `alert/${uid}`);
      expect(await api.ok('PUT', `alert/${uid}`, read)).toEqual(read);
      const tags = [...read.tags, 'seen'];
      expect(await api.ok('PUT', `alert/${uid}`, { ...read, tags })).toEqual({ ...read, tags });
    }
  });

  it('refuses another value for what Vigil sets', async () => {
    const read = await api.ok('GET', `alert/${uids[0]}`);
    const body = { ...read, message: 'Other', meta: { ...read.meta, other: 1 }, tenantId: 77 };
    const { errors } = expectProblem(await api.call('PUT', `alert/${uids[0]}`, body), 400);
    expect(errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`).sort()).toEqual([
      '/message read-only',
      '/meta read-only',
      '/tenantId read-only',
    ]);
    expect(await api.ok('GET', `alert/${uids[0]}`)).toEqual(read);
    expectProblem(await api.call('PUT', `alert/${uids[0]}`, { ...read, nosuch: 1 }), 400, '/nosuch');
  });

  it('a change of an alert with If-Match: of many at once exactly one wins', async () => {
    for (const uid of uids.slice(0, 5)) {
      const { headers } = await api.call('GET', `alert/${uid}`);
      const sent = { headers: { 'if-match': headers.get('etag')! } };
      const answers = await together(8, (i) => api.call('PUT', `alert/${uid}`, { tags: [`by ${i}`] }, sent));
      expect(tally(answers)).toEqual({ 200: 1, 412: 7 });
      const winner = answers.find(({ status }) => status === 200)!;
      const after = await api.call('GET', `alert/${uid}`);
      expect([after.text, after.headers.get('etag')]).toEqual([winner.text, winner.headers.get('etag')]);
      const any = { headers: { 'if-match': `"other", ${winner.headers.get('etag')}` } };
      expect((await api.call('PUT', `alert/${uid}`, { tags: [] }, any)).status).toBe(200);
    }
  });

  it('is not refused because new blocks have made the alert final, which a reader sees', async () => {
    const { data } = await api.ok('POST', 'alert/search', { query: 'chainUid:anvil AND blockNumber:100' });
    const path = `alert/${data[0].uid}`;
    const read = await api.call('GET', path);
    expect(read.body.finality).toBe('HEAD');
    const etag = read.headers.get('etag')!;
    const again = () => plain.call('GET', path, undefined, { headers: { 'if-none-match': etag } });
    expect((await again()).status).toBe(304);
    await api.store.query(sql`update chain_cursor set head = 200, confirmed = 150, final = 120`);
    expect([(await again()).status, (await again()).body.finality]).toEqual([200, 'FINAL']);
    const sent = { headers: { 'if-match': etag } };
    const changed = await api.call('PUT', path, { ...read.body, status: 'RESOLVED' }, sent);
    expect([changed.status, changed.body.status, changed.body.finality]).toEqual([200, 'RESOLVED', 'FINAL']);
    expectProblem(await api.call('PUT', path, { tags: [] }, sent), 412);
  });
});
