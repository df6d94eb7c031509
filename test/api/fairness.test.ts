import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll, randomFinding } from '../support/randomAlerts.ts';

let api: TestApi;
let noisy: World;
let quiet: World;

beforeAll(async () => {
  api = await startTestApi();
  [noisy, quiet] = [await createWorld(api), await createWorld(api)];
  const random = createRandom('fairness');
  for (const [home, count] of [
    [noisy, 3000],
    [quiet, 50],
  ] as const) {
    const place = { tenantId: home.tenant.id, projectId: home.project.id, contractId: home.contract.id };
    const findings = Array.from({ length: count }, (_, n) =>
      randomFinding(random, place, n, Date.now() - 86_400_000, Date.now()),
    );
    await raiseAll(api.store, findings);
  }
});
afterAll(() => api.stop());

/** Each is answered or refused; none may run on. */
const heavy = [
  `message:(${Array.from({ length: 300 }, (_, n) => `*${n}*a*b*`).join(' OR ')})`,
  `${'('.repeat(60)}a${')'.repeat(60)}`,
  '/(a*)*b/ OR /[ac]*a[ac]{50,200}/',
  Array.from({ length: 1000 }, (_, n) => `w${n}`).join(' OR '),
  `message:${'*a'.repeat(200)}*`,
];

it('answers or refuses a pathological query in its time, while another tenant’s searches stay quick', async () => {
  const noise = await api.token(noisy.tenant.id, 'tenant-viewer');
  const other = await api.token(quiet.tenant.id, 'tenant-viewer');
  const attack = Array.from({ length: 4 }, () => heavy)
    .flat()
    .map(async (query) => {
      const begun = performance.now();
      const answer = await api.call('POST', 'alert/search', { query }, { token: noise });
      return { query: query.slice(0, 40), status: answer.status, ms: performance.now() - begun };
    });
  const times: number[] = [];
  for (let n = 0; n < 20; n++) {
    const begun = performance.now();
    const answer = await api.call('POST', 'alert/search', { query: 'severity:HIGH' }, { token: other });
    expect(answer.status).toBe(200);
    times.push(performance.now() - begun);
  }
  for (const { query, status } of await Promise.all(attack)) expect([200, 400], query).toContain(status);
  const median = times.sort((a, b) => a - b)[10]!;
  console.log(`another tenant's searches under attack: median ${median.toFixed(0)} ms`);
  expect(median).toBeLessThan(1500);
});
