import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResult } from '../../src/model/detection.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

const day = 86_400_000;
const minute = 60_000;
const numbers: Record<string, number> = { A: 1, NS: 2, CNAME: 5, AAAA: 28 };

const json = (document: unknown): HttpResult => ({
  status: 200,
  body: JSON.stringify(document),
  durationMs: 1,
});

/** A zone that a test can change, answered as resolvers do. */
async function observe(config: object) {
  const zone: Record<string, string[]> = { A: ['192.0.2.1'], NS: ['b.dns.example.', 'A.dns.example.'] };
  const world = { status: 0, rdap: json({ events: [] }), asked: [] as string[] };
  let at = Date.parse('2026-01-01T00:00:00Z');
  const http = async (url: string) => {
    world.asked.push(url);
    if (url.startsWith('https://rdap.example')) return world.rdap;
    const type = new URL(url).searchParams.get('type')!;
    const records = (zone[type] ?? []).map((data) => ({
      name: 'app.example.com',
      type: numbers[type],
      data,
    }));
    // A chain of aliases comes along with the answer.
    const alias = { name: 'app.example.com', type: 5, data: 'edge.example.net.' };
    return json({ Status: world.status, Answer: type === 'A' ? [alias, ...records] : records });
  };
  const full = { domain: 'app.example.com', ...config };
  const observer = await observeDetector(anvil.url, 'dns_monitor', full, {
    address: anvil.accounts[0],
    http,
  });
  const look = (afterMs = 5 * minute) => {
    at += afterMs;
    return observer.clock(at);
  };
  return { ...observer, zone, world, look, now: () => at };
}

describe('dns_monitor', () => {
  it('reports which records changed, whatever their order', async () => {
    const observer = await observe({});
    expect(await observer.look()).toEqual([]);
    observer.zone.NS!.reverse();
    expect(await observer.look()).toEqual([]);
    observer.zone.A = ['198.51.100.7'];
    expect(await observer.look()).toMatchObject([
      {
        severity: 'HIGH',
        message: 'The A records of app.example.com changed from 192.0.2.1 to 198.51.100.7.',
        meta: { record: 'A', added: ['198.51.100.7'], removed: ['192.0.2.1'] },
      },
    ]);
    expect(await observer.look()).toEqual([]);
    await observer.close();
  });

  it('takes a name that no longer exists for one without records', async () => {
    const observer = await observe({ records: ['A'] });
    await observer.look();
    observer.zone.A = [];
    observer.world.status = 3;
    expect(await observer.look()).toMatchObject([{ meta: { after: [], before: ['192.0.2.1'] } }]);
    await observer.close();
  });

  it('reports a name server that is not expected, once', async () => {
    const observer = await observe({ records: ['A'], nameservers: ['a.dns.example', 'B.dns.example'] });
    expect(await observer.look()).toEqual([]);
    observer.zone.NS!.push('ns.evil.example.');
    expect(await observer.look()).toMatchObject([{ meta: { nameserver: 'ns.evil.example' } }]);
    expect(await observer.look()).toEqual([]);
    await observer.close();
  });

  it('is a fault when the resolver cannot answer, and forgets nothing', async () => {
    const observer = await observe({ records: ['A'] });
    await observer.look();
    observer.world.status = 2;
    observer.zone.A = [];
    expect(await observer.look()).toEqual([]);
    expect(observer.faults).toEqual([expect.stringContaining('answers with DNS status 2')]);
    observer.world.status = 0;
    expect(await observer.look()).toHaveLength(1);
    await observer.close();
  });

  it('reports once when the registration is about to end, asking once a day', async () => {
    const observer = await observe({ rdap: 'https://rdap.example/domain/example.com', records: [] });
    const ends = (inMs: number) => {
      const eventDate = new Date(observer.now() + inMs).toISOString();
      observer.world.rdap = json({ events: [{ eventAction: 'expiration', eventDate }] });
    };
    ends(32 * day);
    expect(await observer.look()).toEqual([]);
    expect(await observer.look()).toEqual([]);
    expect(observer.world.asked).toHaveLength(1);
    expect(await observer.look(3 * day)).toMatchObject([{ meta: { reason: 'expiry', days: 28 } }]);
    expect(await observer.look(day)).toEqual([]);
    ends(365 * day);
    expect(await observer.look(day)).toEqual([]);
    expect(await observer.look(340 * day)).toHaveLength(1);
    await observer.close();
  });

  it('reports that the registration cannot be looked up, and goes on with the records', async () => {
    const observer = await observe({ rdap: 'https://rdap.example/domain/example.com', records: ['A'] });
    expect(await observer.look()).toMatchObject([{ severity: 'LOW', meta: { reason: 'registration' } }]);
    observer.zone.A = ['198.51.100.7'];
    expect(await observer.look()).toMatchObject([{ meta: { reason: 'records' } }]);
    await observer.close();
  });

  it('refuses what is no domain', async () => {
    await expect(observe({ domain: 'https://example.com' })).rejects.toThrow(
      '/domain must be a domain name such as app.example.com',
    );
    await expect(observe({ records: ['PTR'] })).rejects.toThrow('/records/0 must be one of A, NS');
  });
});
