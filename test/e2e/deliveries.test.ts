import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { databaseOf, runStatement } from '../../testing/databaseOf.ts';
import { sized } from '../../testing/proveSize.ts';
import { until } from '../../testing/until.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';

/** Attempts that a process has under way at a destination at most, and so what a crash can repeat at most. */
const atOnce = 16;
const kills = sized(2, 4);

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let sink: HttpSink;
const env = { VIGIL_ALLOW_NETWORKS: '127.0.0.0/8' };
beforeEach(async () => {
  [workspace, sink] = await Promise.all([createWorkspace(), startHttpSink()]);
});
afterEach(async () => {
  await workspace.remove();
  await sink.close();
});

it('kill -9 in a burst: every alert is in one incident and delivered at least once, each time under the same webhook-id', async () => {
  const random = createRandom('kills while sending');
  const dataDir = workspace.folder('data');
  let vigil: Vigil = await workspace.serve(dataDir, env);
  const tenant = await vigil.post('/tenant', { body: { name: 'Acme' } });
  const destination = await vigil.post('/destination', {
    body: {
      tenantId: tenant.id,
      type: 'HTTP',
      uri: `${sink.url}/hook`,
    },
  });
  const chat = await vigil.post('/destination', {
    body: {
      tenantId: tenant.id,
      type: 'MESSENGER_B',
      messengerBUri: `${sink.url}/chat`,
    },
  });
  const { detectorId } = await addSource(vigil, tenant.id, {
    destinations: [{ tenantDestinationId: destination.id }, { tenantDestinationId: chat.id }],
  });

  let pushed = 0;
  const acknowledged = new Set<string>();
  /** Side by side, so that several requests grow the same incidents. */
  const burst = (round: number) =>
    Array.from({ length: 4 }, () => {
      const alerts = Array.from({ length: 20 }, () => ({
        eid: `e-${++pushed}`,
        message: 'Something happened.',
        severity: random.pick(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const),
        txHash: `0x${round}${pushed % incidentsPerRound}`,
      }));
      return async () => {
        const { results } = await vigil.post('/detector/{id}/alert', {
          path: { id: detectorId },
          body: { alerts },
        });
        for (const { uid } of results) acknowledged.add(uid);
      };
    });
  for (let kill = 0; kill < kills; kill++) {
    const pushes = burst(kill);
    const sending = Promise.allSettled(pushes.map((push) => push()));
    await sleep(random.integer(0, 150));
    await vigil.stop('SIGKILL');
    await sending;
    // Waiting for the ends of the leases would only take time.
    await runStatement(dataDir, 'update delivery_queue set lease_until = now() where lease_until > now()');
    vigil = await workspace.serve(dataDir, env);
    // What was not acknowledged is sent again; what was raised already is a duplicate.
    for (const push of pushes) await push();
  }
  await Promise.all(burst(kills).map((push) => push()));

  const delivered = () =>
    sink.received.filter(({ path, behaviour }) => path === '/hook' && behaviour === 200);
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
  await expectIncidents(dataDir, pushed);
  await vigil.stop();
});

const incidentsPerRound = 8;

/** Every alert in one incident of its transaction, which counts right, and whose first alert each destination gets once. */
async function expectIncidents(dataDir: string, alerts: number): Promise<void> {
  const client = new Client(await databaseOf(dataDir));
  await client.connect();
  try {
    const { rows } = await client.query<{ alerts: number; uids: string[] }>(
      `select count(*)::int as alerts, max(i.alerts) as counted, array_agg(distinct i.uid::text) as uids,
         max(a.numeric_severity) = max(i.numeric_severity) as is_worst
       from alert a left join incident i on i.tenant_id = a.tenant_id and i.uid = coalesce(a.incident_uid, a.uid)
       group by a.tenant_id, a.tx_hash, a.tx_hash_bytes`,
    );
    // On Citus one statement does not read both alerts and deliveries.
    const sent = await client.query<{ uid: string; firsts: number; messages: number }>(
      `select m.data->>'incidentUid' as uid, count(*)::int as messages,
         count(*) filter (where (m.data->'incident'->>'number')::int = 1)::int as firsts
       from delivery d join delivery_message m on m.tenant_id = d.tenant_id and m.id = d.message_id
       where d.type like '%.raised' group by 1, d.destination_id`,
    );
    expect(rows).toHaveLength((kills + 1) * incidentsPerRound);
    const torn = await client.query(
      `select d.id, d.state, q.id as queued from delivery d full join delivery_queue q using (tenant_id, id)
       where (d.state = 'PENDING') is distinct from (q.id is not null)`,
    );
    expect(torn.rows).toEqual([]);
    expect(rows.reduce((sum, row) => sum + row.alerts, 0)).toBe(alerts);
    for (const { uids, ...row } of rows) {
      expect(row).toEqual({ alerts: row.alerts, counted: row.alerts, is_worst: true });
      expect(uids).toEqual([expect.any(String)]);
      const received = sent.rows.filter(({ uid }) => uid === uids[0]);
      expect(received.map(({ firsts }) => firsts)).toEqual([1, 1]);
      expect(received.reduce((sum, { messages }) => sum + messages, 0)).toBe(2 * row.alerts);
    }
  } finally {
    await client.end();
  }
}

function group<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
