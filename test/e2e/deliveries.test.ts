import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { until } from '../../testing/until.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';

/** Attempts that a process has under way at a destination at most, and so what a crash can repeat at most. */
const atOnce = 16;
const kills = 4;

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let sink: HttpSink;
const env = { VIGIL_ALLOW_NETWORKS: '127.0.0.0/8' };
beforeAll(async () => {
  [workspace, sink] = await Promise.all([createWorkspace(), startHttpSink()]);
});
afterAll(async () => {
  await workspace.remove();
  await sink.close();
});

it('delivers every alert at least once through kill -9, and repeats only under the same webhook-id', async () => {
  const random = createRandom('kills while sending');
  let vigil: Vigil = await workspace.serve(workspace.folder('data'), env);
  const tenant = await vigil.ok('POST', 'tenant', { name: 'Acme' });
  const destination = await vigil.ok('POST', 'destination', {
    tenantId: tenant.id,
    type: 'HTTP',
    uri: `${sink.url}/hook`,
  });
  const { detectorId } = await addSource(vigil, tenant.id, {
    destinations: [{ tenantDestinationId: destination.id }],
  });

  let pushed = 0;
  const acknowledged = new Set<string>();
  const push = async () => {
    const alerts = Array.from({ length: 20 }, () => ({
      eid: `e-${++pushed}`,
      message: 'Something happened.',
    }));
    const { results } = await vigil.ok('POST', `detector/${detectorId}/alert`, { alerts });
    for (const { uid } of results) acknowledged.add(uid);
  };
  for (let kill = 0; kill < kills; kill++) {
    for (let n = 0; n < 4; n++) await push();
    await sleep(random.integer(0, 150));
    await vigil.stop('SIGKILL');
    vigil = await workspace.serve(workspace.folder('data'), env);
  }
  await push();

  const delivered = () => sink.received.filter(({ behaviour }) => behaviour === 200);
  const seen = () => new Set(delivered().map(({ body }) => String(body.data.uid)));
  await until(() => [...acknowledged].every((uid) => seen().has(uid)), 90_000);
  expect(acknowledged.size).toBe(pushed);
  const byAlert = group(delivered(), ({ body }) => String(body.data.uid));
  let repeats = 0;
  for (const [, received] of byAlert) {
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    repeats += received.length - 1;
  }
  expect(repeats).toBeLessThanOrEqual(kills * atOnce);
  await vigil.stop();
}, 180_000);

function group<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
