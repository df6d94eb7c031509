import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sized } from '../../testing/proveSize.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type AlertStream, openAlertStream } from './support/alertStream.ts';
import { type Arena, startArena, type Tenant } from './support/arena.ts';
import { createResults, mean, twice } from './support/results.ts';

describe('one tenant’s notifications and records', { timeout: 600_000 }, () => {
  const results = createResults();
  let arena: Arena;
  let [busy, other]: Receiver[] = [];
  let sources: { victim: number; attacker: number };
  let pushed = 0;

  beforeAll(async () => {
    arena = await startArena({
      VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
      VIGIL_PUBLIC_URL: 'https://vigil.example.com',
    });
    // Slow enough that what waits for it piles up.
    busy = await startReceiver('127.0.0.1', 100);
    other = await startReceiver('127.0.0.2', 0);
    const { victim, attacker } = arena;
    sources = { victim: await addSource(victim), attacker: await addSource(attacker) };
    await victim.ok('POST', 'destination', { type: 'HTTP', uri: `${other.url}/hook`, tags: ['DEFAULT'] });
  });
  afterAll(async () => {
    await arena?.stop();
    await Promise.all([busy?.close(), other?.close()]);
    results.print();
  });

  async function addSource(tenant: Tenant): Promise<number> {
    const contractId = await tenant.addContract('0xdAC17F958D2ee523a2206206994597C13D831ec7', {
      chainUid: 'ethereum',
    });
    return tenant.addDetector(contractId, 'pause_state', {}, { source: 'EXTERNAL' });
  }

  async function push(tenant: Tenant, detectorId: number, count: number): Promise<string> {
    const alerts = Array.from({ length: count }, () => ({
      eid: `e ${++pushed}`,
      message: 'Something happened.',
    }));
    const { results } = await tenant.ok('POST', `detector/${detectorId}/alert`, { alerts });
    return results.at(-1).uid;
  }

  async function alertToDelivery(): Promise<number> {
    const pushedAt = performance.now();
    const uid = await push(arena.victim, sources.victim, 1);
    return (await until(() => other!.receivedAt.get(uid), 120_000)) - pushedAt;
  }

  const repeat = async (count: number) => {
    const times: number[] = [];
    for (let n = 0; n < count; n++) times.push(await alertToDelivery());
    return mean(times);
  };

  it('many destinations of one host get a bounded number of requests, and delay no other host', async () => {
    const [destinations, alerts] = [60, sized(10, 50)];
    for (let n = 0; n < destinations; n++)
      await arena.attacker.ok('POST', 'destination', {
        type: 'HTTP',
        uri: `${busy!.url}/hook/${n}`,
        tags: ['DEFAULT'],
      });
    await results.hold(
      {
        attack: `${destinations} destinations × ${alerts} alerts to one host`,
        measure: 'alert to delivery at another host',
      },
      async () => {
        const quiet = await repeat(5);
        const expected = busy!.receivedAt.size + alerts;
        await push(arena.attacker, sources.attacker, alerts);
        const attacked = await repeat(10);
        await until(
          () => busy!.receivedAt.size >= expected && busy!.requests() % destinations === 0,
          240_000,
        );
        return { quiet, attacked, limit: twice(quiet, 200) };
      },
    );
    await results.hold(
      {
        attack: `${destinations} destinations × ${alerts} alerts to one host`,
        measure: 'requests at once at that host',
        unit: '',
      },
      async () => ({ quiet: 1, attacked: busy!.mostAtOnce(), limit: 16 }),
    );
  });

  it('a thousand chains that fire at once delay no page of another tenant', async () => {
    const chains = sized(250, 1000);
    const callBy = async (tenant: Tenant, url: string) => {
      const destination = await tenant.ok('POST', 'destination', { type: 'HTTP', uri: url });
      const step = { destinationId: destination.id, waitMinutes: 0 };
      const chain = await tenant.ok('POST', 'escalationchain', { name: 'Chain', steps: [step, step, step] });
      const route = { name: 'Root', status: 'ACTIVE', escalationChainId: chain.id };
      await tenant.ok('POST', 'route', route);
    };
    await callBy(arena.victim, `${other!.url}/page`);
    await callBy(arena.attacker, `${busy!.url}/page`);
    await results.hold(
      { attack: `${chains} chains of three steps fire at once`, measure: 'alert to page' },
      async () => {
        const quiet = await repeat(5);
        for (let n = 0; n < chains; n += 50) await push(arena.attacker, sources.attacker, 50);
        const attacked = await repeat(10);
        return { quiet, attacked, limit: twice(quiet, 200) };
      },
    );
  });

  it('quotas of the plan answer with the limit and the count', async () => {
    const { vigil } = arena;
    const quotas = { maxDestinations: 3, maxLabels: 100, maxStreams: 2, maxInvites: 2, maxPushedAlerts: 50 };
    const tenant = await arena.addTenant('Small', quotas);
    const detectorId = await addSource(tenant);
    const labels = sized(101, 200_000);
    const open = async () => {
      const stream = await openAlertStream(vigil.url, tenant.token);
      streams.push(stream);
      return { status: stream.status, body: stream.problem };
    };
    const streams: AlertStream[] = [];
    let made = 0;
    const over: [
      member: keyof typeof quotas,
      ask: () => Promise<{ status: number; body: Json }>,
      times: number,
    ][] = [
      [
        'maxDestinations',
        () => tenant.call('POST', 'destination', { type: 'HTTP', uri: `${busy!.url}/${++made}` }),
        4,
      ],
      ['maxLabels', () => tenant.call('POST', 'label/import', { csv: toCsv(labels) }), 1],
      ['maxStreams', open, 3],
      [
        'maxInvites',
        () =>
          tenant.call('POST', 'invite', {
            email: `invited${++made}@example.com`,
            roles: ['tenant-viewer'],
            url: 'https://vigil.example.com/welcome',
          }),
        3,
      ],
      [
        'maxPushedAlerts',
        () =>
          tenant.call('POST', `detector/${detectorId}/alert`, {
            alerts: Array.from({ length: 51 }, (_, n) => ({ eid: `over ${n}`, message: 'One too many.' })),
          }),
        1,
      ],
    ];
    for (const [member, ask, times] of over) {
      let answer = await ask();
      for (let n = 1; n < times; n++) answer = await ask();
      const { status, body } = answer;
      expect(body, member).toMatchObject({ code: expect.stringMatching(/^(plan-limit|rate-limited)$/) });
      expect([403, 429], member).toContain(status);
      expect(body, member).toMatchObject({ limit: quotas[member], count: expect.any(Number) });
      expect(body.detail, member).toContain(String(quotas[member]));
    }
    for (const stream of streams) stream.close();
  });
});

function toCsv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`);
  return `address\n${lines.join('\n')}\n`;
}

type Receiver = {
  url: string;
  /** When the alert of an uid came first. */
  receivedAt: Map<string, number>;
  requests(): number;
  mostAtOnce(): number;
  close(): Promise<void>;
};

/** A host that takes its time to answer, and counts what it is asked at once. */
async function startReceiver(host: string, answerMs: number): Promise<Receiver> {
  const receivedAt = new Map<string, number>();
  let [requests, open, most] = [0, 0, 0];
  const server: Server = createServer((request, response) => {
    most = Math.max(most, ++open);
    response.on('close', () => {
      open--;
    });
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      requests++;
      const { uid } = JSON.parse(text).data;
      if (!receivedAt.has(uid)) receivedAt.set(uid, performance.now());
      setTimeout(() => response.writeHead(204).end(), answerMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    receivedAt,
    requests: () => requests,
    mostAtOnce: () => most,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
