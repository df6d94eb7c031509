import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import type { Finding } from '../../src/model/alert.ts';
import { lastAlertEvent } from '../../src/store/alerts/alertEvents.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

let api: TestApi;
let mine: string;
let others: string;
beforeAll(async () => {
  api = await startTestApi();
  for (const name of ['One', 'Two']) await api.ok('POST', 'tenant', { name });
  mine = await api.token(1, 'tenant-viewer');
  others = await api.token(2, 'tenant-viewer');
});
afterAll(() => api.stop());

let made = 0;
const finding = (members: Partial<Finding> = {}): Finding => ({
  tenantId: 1,
  projectId: 1,
  contractId: 1,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'HIGH',
  timestamp: Date.now(),
  key: `stream ${++made}`,
  eid: `stream-${made}`,
  name: 'Stream',
  message: `Number ${made}`,
  meta: {},
  tags: [],
  ...members,
});

async function tell(...findings: Finding[]): Promise<string[]> {
  await prepareRaise(api.store, findings);
  const raised = await api.store.transaction((tx) => raiseAlerts(tx, findings));
  return raised.map(({ uid }) => uid);
}

type Event = { id: string; type: string; alert: Json };

/** An open stream and what came over it so far. */
async function open(query = '', token = mine, lastEventId?: string) {
  const ending = new AbortController();
  const response = await fetch(`${api.url}/api/v1/alert/stream${query}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: ending.signal,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events: Event[] = [];
  let text = '';
  const ended = (async () => {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      events.push(...blocks.flatMap(toEvent));
    }
  })().catch(() => undefined);
  return { events, ended, close: () => ending.abort() };
}

function toEvent(block: string): Event[] {
  const lines = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
  return lines.data ? [{ id: lines.id, type: lines.event, alert: JSON.parse(lines.data) }] : [];
}

const uids = (events: readonly Event[]) => events.map(({ alert }) => String(alert.uid));

describe('the live stream', () => {
  it('sends each tenant its own alerts as they are raised, filtered by a query', async () => {
    const all = await open();
    const bad = await open('?query=severity:CRITICAL');
    const foreign = await open('', others);
    const [first, second] = await tell(
      finding(),
      finding({ severity: 'CRITICAL' }),
      finding({ tenantId: 2 }),
    );
    await until(() => all.events.length >= 2 && bad.events.length >= 1 && foreign.events.length >= 1);
    await sleep(100);
    expect(uids(all.events).sort()).toEqual([first!, second!].toSorted());
    expect(uids(bad.events)).toEqual([second]);
    expect(foreign.events.map(({ alert }) => alert.tenantId)).toEqual([2]);
    expect(all.events[0]!.alert).toEqual(
      await api.ok('GET', `alert/${all.events[0]!.alert.uid}`, undefined, { token: mine }),
    );
    for (const stream of [all, bad, foreign]) stream.close();
  });

  it('begins with the id from which it resumes when it breaks before an event', async () => {
    const quiet = await api.call('GET', 'alert/stream?live=false', undefined, { token: mine });
    const id = /^: connected\nid: (\d+-\d+)\n\n$/.exec(quiet.text)?.[1];
    const [uid] = await tell(finding());
    const resumed = await open('', mine, id);
    await until(() => resumed.events.length > 0);
    expect(uids(resumed.events)).toEqual([uid]);
    resumed.close();
  });

  it('sends retractions', async () => {
    const stream = await open();
    const place = { chainUid: 'anvil', blockNumber: 5, blockHash: '0xstream' };
    const [uid] = await tell(finding(place));
    await until(() => stream.events.length === 1);
    await api.store.transaction((tx) =>
      retractBlocks(tx, { chainUid: 'anvil', blocks: [{ number: 5, hash: '0xstream' }], now: Date.now() }),
    );
    await until(() => stream.events.length === 2);
    expect(stream.events[1]).toMatchObject({ type: 'retracted', alert: { uid, status: 'RETRACTED' } });
    stream.close();
  });

  it('never reports a retracted alert as resolved, however often that is requested', async () => {
    const stream = await open('?query=name:Undone');
    const place = { chainUid: 'anvil', blockNumber: 6, blockHash: '0xundone', name: 'Undone' };
    await tell(finding(place));
    await api.store.transaction((tx) =>
      retractBlocks(tx, { chainUid: 'anvil', blocks: [{ number: 6, hash: '0xundone' }], now: Date.now() }),
    );
    await until(() => stream.events.length === 2);
    for (let times = 0; times < 2; times++)
      await api.ok('POST', 'alert/resolve', { query: 'name:Undone AND status:RETRACTED' });
    const [last] = await tell(finding({ name: 'Undone' }));
    await until(() => stream.events.length > 2);
    expect([stream.events[2]!.type, stream.events[2]!.alert.uid]).toEqual(['raised', last]);
    stream.close();
  });

  it('sends resolved alerts, one by one and by query, once', async () => {
    const stream = await open('?query=name:Resolving');
    const [one, other] = await tell(finding({ name: 'Resolving' }), finding({ name: 'Resolving' }));
    for (let times = 0; times < 2; times++) await api.ok('PUT', `alert/${one}`, { status: 'RESOLVED' });
    await api.ok('POST', 'alert/resolve', { query: 'name:Resolving' });
    const resolved = () => stream.events.filter(({ type }) => type === 'resolved');
    await until(() => resolved().length >= 2);
    await sleep(100);
    expect(uids(resolved())).toEqual([one, other]);
    stream.close();
  });

  it('loses and repeats nothing over broken connections, also of transactions that end out of order', async () => {
    const random = createRandom('stream');
    const expected: string[] = [];
    const seen: Event[] = [];
    const start = await open();
    await sleep(50);
    start.close();
    let last = await lastAlertEvent(api.store);
    let isDone = false;
    const writers = Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 15; n++) {
        const batch = Array.from({ length: random.integer(1, 4) }, () => finding());
        await prepareRaise(api.store, batch);
        const raised = await api.store.transaction(async (tx) => {
          const fresh = await raiseAlerts(tx, batch);
          // What is numbered early may be committed late.
          await sleep(random.integer(0, 40));
          return fresh;
        });
        expected.push(...raised.map(({ uid }) => uid));
      }
    });
    const finished = Promise.all(writers).finally(() => {
      isDone = true;
    });
    for (let quiet = 0; quiet < 20; quiet = isDone ? quiet + 1 : 0) {
      if (isDone && seen.length >= expected.length) break;
      const stream = await open('', mine, last);
      await sleep(random.integer(20, 150));
      stream.close();
      await stream.ended;
      seen.push(...stream.events);
      last = seen.at(-1)?.id ?? last;
    }
    await finished;
    expect(uids(seen).sort()).toEqual(expected.sort());
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  });

  it('ends after the past alerts if it is not live, and when its token is revoked', async () => {
    await tell(finding());
    const past = await open('?live=false&after=0-0');
    await past.ended;
    expect(past.events.length).toBeGreaterThan(10);
    const key = await api.ok('POST', 'apikey', { tenantId: 1, label: 'stream', roles: ['tenant-viewer'] });
    const stream = await open('', key.secret ?? key.token);
    const startedAt = performance.now();
    await api.ok('DELETE', `apikey/${key.id}`);
    await stream.ended;
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    await tell(finding());
    expect(stream.events).toEqual([]);
  });

  it('ends when its user has another role than before, and stays open when the same is still seen', async () => {
    const email = 'streamer@example.com';
    const password = 'correct horse battery';
    const user = await api.ok('POST', 'user', { tenantId: 1, email, password, roles: ['tenant-manager'] });
    const { token } = await api.ok('POST', 'auth/login', { email, password }, { token: null });
    const stream = await open('', token);
    await api.ok('PUT', `user/${user.id}`, { roles: ['tenant-viewer'] });
    await sleep(1200);
    await tell(finding());
    await until(() => stream.events.length === 1);
    const startedAt = performance.now();
    await api.ok('PUT', `user/${user.id}`, { roles: ['organisation-viewer'] });
    await stream.ended;
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(stream.events).toHaveLength(1);
  });

  it('holds a thousand open streams, each of which gets every event', async () => {
    const plan = await api.ok('GET', 'plan/1');
    await api.ok('PUT', `plan/${plan.id}`, { maxStreams: 1000 });
    const tokens = await Promise.all(Array.from({ length: 100 }, () => api.token(1, 'tenant-viewer')));
    const streams = await Promise.all(Array.from({ length: 1000 }, (_, n) => open('', tokens[n % 100])));
    const told = await tell(finding(), finding(), finding());
    await until(() => streams.every(({ events }) => events.length === 3));
    for (const { events } of streams) expect(uids(events).sort()).toEqual(told.toSorted());
    for (const stream of streams) stream.close();
  });

  it.each(['query=(', 'live=maybe', 'after=1', 'quer=x'])('refuses ?%s', async (query) => {
    const answer = await api.call('GET', `alert/stream?${query}`, undefined, { token: mine });
    expect(answer.status).toBe(400);
  });
});
