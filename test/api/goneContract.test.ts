import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll, randomFinding } from '../support/randomAlerts.ts';

let api: TestApi;
let world: World;
let foreign: World;
let viewer: string;
const now = Date.now();
const kinds = ['detector', 'trigger', 'action'] as const;

beforeAll(async () => {
  api = await startTestApi();
  [world, foreign] = [await createWorld(api), await createWorld(api)];
  viewer = await api.token(world.tenant.id, 'tenant-viewer');
  const random = createRandom('alerts of a contract');
  const raise = (contractId: number, key: string) => {
    const place = { tenantId: world.tenant.id, projectId: world.project.id, contractId };
    const findings = Array.from({ length: 60 }, (_, n) => ({
      ...randomFinding(random, place, n, now - 90 * 86_400_000, now),
      key: `${key} ${n}`,
    }));
    // One of each kind that every question finds, whatever the others are.
    const certain = { severity: 'HIGH', message: 'own transfer', meta: { amount: 1 } } as const;
    for (const [n, kind] of kinds.entries()) Object.assign(findings[n]!, certain, { kind });
    return raiseAll(api.store, findings);
  };
  await raise(world.contract.id, 'own');
  // No contract of this tenant, whatever its alerts say.
  await raise(foreign.contract.id, 'strange');
});
afterAll(() => api.stop());

const questions = [
  {},
  { trackTotalCount: 0 },
  { query: 'transfer' },
  { query: 'message:own*' },
  { query: 'severity:(HIGH OR LOW) AND meta.amount:>0' },
  { sort: [{ field: 'numericSeverity', order: 'desc' }] },
  { sort: [{ field: 'eid', order: 'asc' }] },
  { from: 3, size: 200 },
  { size: 0 },
  { size: 0, trackTotalCount: 1_000_000 },
  { size: 0, trackTotalCount: 0 },
  { size: 0, query: 'transfer' },
  { size: 0, query: 'severity:HIGH' },
  { size: 0, query: 'message:transfer', timeseries: [{ from: 0, to: now }] },
  { size: 0, query: 'severity:HIGH', timeseries: [{ from: 0, to: now - 86_400_000 }] },
  { query: 'nosuchword' },
];

const ask = (contractId: number, kind: string, body: unknown) =>
  api.call('POST', `contract/${contractId}/${kind}/alert/search`, body, { token: viewer });

it('answers for a contract until it is deleted, and not once after it, however often it was asked before', async () => {
  for (const kind of kinds)
    for (const body of questions)
      for (let n = 0; n < 8; n++) {
        const answer = await ask(world.contract.id, kind, body);
        const isEmpty = body.size === 0 || body.query === 'nosuchword';
        expect([answer.status, answer.body.data.length === 0], JSON.stringify(body)).toEqual([200, isEmpty]);
        expect((await ask(foreign.contract.id, kind, body)).status, JSON.stringify(body)).toBe(404);
      }
  await api.ok('DELETE', `contract/${world.contract.id}`);
  for (const kind of kinds)
    for (const body of [...questions, { query: '(' }])
      expect((await ask(world.contract.id, kind, body)).status, JSON.stringify(body)).toBe(404);
});
