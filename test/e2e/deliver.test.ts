import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../harness/api.ts';
import { createPlace, databaseOf, until, type Vigil } from '../harness/vigil.ts';
import { type HttpSink, startHttpSink } from '../notify/support/httpSink.ts';
import { createRandom } from '../support/random.ts';

const kills = Number(process.env.PROVE_ROUNDS ?? 3);

describe('deliveries of a Vigil that is killed', { timeout: 120_000 + kills * 20_000 }, () => {
  let place: Awaited<ReturnType<typeof createPlace>>;
  let sink: HttpSink;
  beforeAll(async () => {
    place = await createPlace();
    sink = await startHttpSink();
  });
  afterAll(async () => {
    await place.remove();
    await sink.close();
  });

  it('all arrive, once or with one repetition for each kill, under one id', async () => {
    const random = createRandom('kills between deliveries');
    const dataDir = place.folder('killed');
    const serve = () => place.serve(dataDir, { VIGIL_ALLOW_NETWORKS: '127.0.0.0/8' });
    let vigil = await serve();
    const detectorId = await addDetector(vigil);
    const uids = new Set<string>();
    for (let round = 0; round <= kills; round++) {
      for (let n = 0; n < 5; n++) {
        const alerts = Array.from({ length: 20 }, (_, item) => ({
          eid: `${round} ${n} ${item}`,
          message: 'Found.',
        }));
        const { results } = await vigil.ok('POST', `detector/${detectorId}/alert`, { alerts });
        for (const { uid } of results as Json[]) uids.add(uid);
      }
      if (round === kills) break;
      await sleep(random.integer(0, 150));
      await vigil.stop('SIGKILL');
      await endLeases(dataDir);
      vigil = await serve();
    }
    const told = () => new Set(sink.received.map(({ body }) => body.data.uid));
    await until(() => told().size === uids.size, 60_000);
    expect((await vigil.stop()).code).toBe(0);

    expect(told()).toEqual(uids);
    const byId = new Map<string, Set<string>>();
    for (const { headers, body } of sink.received) {
      const id = headers['webhook-id']!;
      byId.set(id, (byId.get(id) ?? new Set()).add(body.data.uid));
    }
    expect(byId.size).toBe(uids.size);
    for (const alerts of byId.values()) expect(alerts.size).toBe(1);
    const repeated = sink.received.length - byId.size;
    console.log(`${uids.size} alerts, ${kills} kills, ${repeated} repeated`);
    for (const id of byId.keys()) {
      const times = sink.received.filter(({ headers }) => headers['webhook-id'] === id).length;
      expect(times).toBeLessThanOrEqual(1 + kills);
    }
    // Only what was under way to the one receiver when Vigil died.
    expect(repeated).toBeLessThanOrEqual(16 * kills);
  });

  async function addDetector(vigil: Vigil): Promise<number> {
    const tenant = await vigil.ok('POST', 'tenant', { name: 'Receivers' });
    const project = await vigil.ok('POST', 'project', { tenantId: tenant.id, name: 'Vault' });
    const contract = await vigil.ok('POST', 'contract', {
      projectId: project.id,
      name: 'Treasury',
      chainUid: 'ethereum',
      address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    });
    const schema = await vigil.ok('POST', 'detector/schema', {
      title: 'Engine',
      name: 'engine',
      version: '1.0.0',
    });
    const destination = await vigil.ok('POST', 'destination', {
      tenantId: tenant.id,
      type: 'HTTP',
      uri: `${sink.url}/killed`,
    });
    const detector = await vigil.ok('POST', 'detector', {
      contractId: contract.id,
      schemaId: schema.id,
      name: 'Engine',
      source: 'EXTERNAL',
      destinations: [{ tenantDestinationId: destination.id }],
    });
    return detector.id;
  }
});

/** What the killed process had claimed would be free half a minute later. */
async function endLeases(dataDir: string): Promise<void> {
  const client = new Client(await databaseOf(dataDir));
  await client.connect();
  await client.query('update delivery set lease_until = null where lease_until is not null');
  await client.end();
}
