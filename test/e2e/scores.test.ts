import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { runStatement } from '../../testing/databaseOf.ts';
import { sized } from '../../testing/proveSize.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

const kills = sized(2, 3);

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
beforeAll(async () => {
  workspace = await createWorkspace();
});
afterAll(() => workspace.remove());

it('scores every alert exactly once and in order through kill -9', async () => {
  const random = createRandom('kills while scoring');
  // Another one when it is tried again.
  const dataDir = workspace.folder(randomUUID());
  let vigil: Vigil = await workspace.serve(dataDir);
  const organisation = await vigil.post('/organisation', { body: { name: 'Auditors' } });
  const tenant = await vigil.post('/tenant', { body: { name: 'Acme', organisationId: organisation.id } });
  const { projectId, detectorId } = await addSource(vigil, tenant.id);
  const license = await vigil.post('/license', {
    body: {
      name: 'Score',
      version: '1',
      params: '{"max":1000000}',
      groupScript: "['a', 'b']",
      // Work enough that a kill falls into the middle of it.
      scoreScript: 'let n = 0;\nfor (let k = 0; k < 20000; k++) n += k % 2;\nreturn -n / 10000',
    },
  });
  const instance = await vigil.post('/instance', {
    body: {
      licenseId: license.id,
      organisationId: organisation.id,
      projectId,
      licenseStatus: 'LICENCED',
    },
  });
  const startedAt = '2020-01-01T00:00:00Z';
  await vigil.post('/instance/meta', { body: { licenseInstanceId: instance.id, startedAt } });

  const acknowledged: string[] = [];
  const push = async () => {
    const alerts = Array.from({ length: 50 }, (_, n) => ({
      eid: `e-${acknowledged.length + n}`,
      message: 'Something happened.',
    }));
    const { results } = await vigil.post('/detector/{id}/alert', {
      path: { id: detectorId },
      body: { alerts },
    });
    acknowledged.push(...results.map(({ uid }: Json) => uid));
  };
  for (let kill = 0; kill < kills; kill++) {
    for (let n = 0; n < sized(2, 4); n++) await push();
    await sleep(random.integer(0, 200));
    await vigil.stop('SIGKILL');
    // Waiting for the ends of the leases would only take time.
    await runStatement(dataDir, 'update score_lane set lease_until = now() where lease_until > now()');
    vigil = await workspace.serve(dataDir);
  }
  await push();

  await until(
    async () => (await vigil.get('/instance/{id}/score', { path: { id: instance.id } })).waiting === 0,
    120_000,
  );
  const sort = [{ field: 'i' }];
  const { data } = await vigil.post('/instance/{id}/score/search', {
    path: { id: instance.id },
    body: { size: 10_000, sort },
  });
  const expected = acknowledged.flatMap((alertId) => ['a', 'b'].map((group) => [alertId, group]));
  expect(data.map(({ alertId, scoreGroup }) => [alertId, scoreGroup])).toEqual(expected);
  expect(data.map(({ i }) => i)).toEqual(expected.map((_, index) => index + 1));
  expect(data.at(-1)!.score).toBe(1_000_000 - acknowledged.length);
  const { data: present } = await vigil.get('/instance/{id}/score', { path: { id: instance.id } });
  expect(present.map(({ score }) => score)).toEqual([data.at(-2)!.score, data.at(-1)!.score]);
  const counted = await until(async () => {
    const asked = { metric: 'score_changes', start: '-1h', step: '1h', tags: { type: ['alert'] } };
    return (await vigil.post('/tenant/telemetry', { body: asked })).data[0];
  });
  expect(JSON.stringify(counted.bucket)).toMatch(/[1-9]/);
  await vigil.stop();
});
