import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

it('a page of held requests of a megabyte each is refused once it would fill the memory, and a smaller one is not', async () => {
  const body = { note: 'x'.repeat(1_000_000) };
  await api.store.query(
    sql`insert into approval (tenant_id, created_at, updated_at, expires_at, wallet_id, method, path, body, sealed_request)
      select ${world.tenant.id}, 1, 1, 2, ${world.wallet.id}, 'POST', '/action', ${JSON.stringify(body)}::jsonb, ''
      from generate_series(1, 40)`,
  );
  const refused = await api.call('POST', 'approval/search', { size: 1000 });
  expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
    400,
    'page-too-large',
    'The records of this page are larger than 32 MiB together. Ask for fewer by a smaller `size`.',
  ]);
  const small = await api.call('POST', 'approval/search', { size: 20 });
  expect(small.body.data, small.text.slice(0, 300)).toHaveLength(20);
});

it('a page of alerts with huge members is refused too, and the same connections serve the next search', async () => {
  const findings = Array.from(
    { length: 45 },
    (_, index): Finding => ({
      tenantId: world.tenant.id,
      projectId: world.project.id,
      contractId: world.contract.id,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'LOW',
      timestamp: Date.now(),
      key: `large ${index}`,
      eid: `large ${index}`,
      name: 'Large',
      message: 'Large.',
      meta: {},
      tags: [],
    }),
  );
  await raiseAll(api.store, findings);
  await api.store.query(
    sql`update alert set meta = jsonb_build_object('note', repeat('x', 1000000)) where tenant_id = ${world.tenant.id}`,
  );
  const search = (size: number) => api.call('POST', 'alert/search', { query: 'message:large', size });
  for (let turn = 0; turn < 6; turn++) expect((await search(100)).body.code).toBe('page-too-large');
  expect((await search(10)).body.data).toHaveLength(10);
});
