import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { toEgress } from '../../src/lib/egress.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding, Severity } from '../../src/model/alert.ts';
import type { Message } from '../../src/model/notification.ts';
import { createRequestSender } from '../../src/notify/createRequestSender.ts';
import { createNotifyOnAlerts } from '../../src/notify/notifyOnAlerts.ts';
import { type PagerDuty, startPagerDuty } from '../../testing/startPagerDuty.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { alertMessage, targetOf } from './support/messages.ts';
import { loopback, type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

const never = new AbortController().signal;
const sender = createRequestSender({ egress: toEgress(loopback()), now: Date.now });
let pager: PagerDuty;
beforeAll(async () => {
  pager = await startPagerDuty();
});
beforeEach(() => {
  pager.taken.length = 0;
});
afterAll(async () => {
  await sender.close();
  await pager.stop();
});

const target = () =>
  targetOf({ type: 'PAGERDUTY', settings: { routingKey: pager.routingKey, url: `${pager.url}/` } });
const send = (message: Message) => sender.send(target(), [message], never);

describe('an event for the pager', () => {
  it('triggers under the key of the incident, with the finding in the payload', async () => {
    const contract = { name: 'Vault', address: '0x11', chainUid: 'ethereum' };
    const links = { alert: 'https://vigil.example.com/alert/a-1' };
    const data = { incidentUid: 'i-1', contract, links, timestamp: Date.UTC(2026, 10, 15) };
    expect(await send(alertMessage('d-1', data))).toEqual({ ok: true, status: 202 });
    expect(pager.taken[0]!.body).toMatchObject({
      event_action: 'trigger',
      dedup_key: 'vigil-i-1',
      client_url: links.alert,
      payload: {
        summary: expect.stringContaining('[HIGH] Large transfer · Vault on ethereum'),
        source: '0x11',
        severity: 'error',
        component: 'Vault',
        timestamp: '2026-11-15T00:00:00.000Z',
        custom_details: { 'What happened': 'A lot left.', Address: '0x11' },
      },
    });
  });

  it.each([
    ['INFO', 'info'],
    ['LOW', 'warning'],
    ['MEDIUM', 'warning'],
    ['HIGH', 'error'],
    ['CRITICAL', 'critical'],
  ] as [Severity, string][])('maps an alert that is %s to the severity %s', async (severity, word) => {
    await send(alertMessage('d-1', { severity }));
    expect(pager.taken[0]!.body.payload.severity).toBe(word);
  });

  it('stays within the limits of the platform however long the texts are', async () => {
    const long = 'long '.repeat(50_000);
    const meta = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`member${index}`, long]));
    expect(await send(alertMessage('d-1', { name: long, message: long, meta }))).toMatchObject({ ok: true });
  });

  it('resolves once nothing of the incident is open, and says nothing while something is', async () => {
    const data = { incidentUid: 'i-2' };
    const about = (type: Message['type'], isOpen?: boolean): Message => ({
      ...alertMessage('d', data),
      type,
      ...(isOpen === undefined ? {} : { state: { isOpen } }),
    });
    await send(about('alert.detector.raised', true));
    expect(pager.alerts.get('vigil-i-2')).toBe('triggered');
    expect(await send(about('alert.retracted', true))).toEqual({ ok: true });
    expect(pager.alerts.get('vigil-i-2')).toBe('triggered');
    await send(about('alert.resolved', false));
    expect(pager.alerts.get('vigil-i-2')).toBe('resolved');
    // A message that is sent again late does not open it again.
    await send(about('alert.detector.raised', false));
    expect(pager.alerts.get('vigil-i-2')).toBe('resolved');
  });

  it('pages and resolves at once for a test', async () => {
    const ping: Message = { uid: 'u', sequence: 1, type: 'ping', timestamp: 0, data: {} };
    expect(await send(ping)).toMatchObject({ ok: true });
    expect(pager.taken.map(({ body }) => body.event_action)).toEqual(['trigger', 'resolve']);
    expect(new Set(pager.taken.map(({ body }) => body.dedup_key)).size).toBe(1);
  });

  it('gives up an event that is refused, waits where it is too fast, and retries after a fault of the pager', async () => {
    const wrong = { ...target(), settings: { routingKey: 'W'.repeat(32), url: pager.url } };
    const refused = await sender.send(wrong, [alertMessage('d-1')], never);
    expect(refused).toMatchObject({ ok: false, status: 400, permanent: true });
    expect(JSON.stringify(refused)).not.toContain('W'.repeat(32));
    pager.answer({ status: 429 }, { status: 429, headers: { 'retry-after': '7' } }, { status: 503 });
    expect(await send(alertMessage('d-1'))).toMatchObject({ status: 429, retryAfterMs: 30_000 });
    expect(await send(alertMessage('d-1'))).toMatchObject({ status: 429, retryAfterMs: 7000 });
    const failed = await send(alertMessage('d-1'));
    expect(failed).toMatchObject({ ok: false, status: 503 });
    expect(failed).not.toHaveProperty('permanent');
  });
});

describe('a pager that is bound to a detector', () => {
  let world: NotifyWorld;
  beforeAll(async () => {
    world = await startNotifyWorld();
    world.work();
    const settings = { routingKey: pager.routingKey, url: pager.url };
    const made = { tenantId: world.tenantId, type: 'PAGERDUTY', settings };
    const { id } = await world.ok('POST', 'destination', made);
    await world.bind(id);
  });
  afterAll(() => world.stop());

  it('has one alert for an incident, open until the last of its alerts is resolved, also when a message comes late', async () => {
    const timestamp = Date.now();
    const finding = (key: string): Finding => ({
      tenantId: world.tenantId,
      projectId: 1,
      contractId: world.contractId,
      detectorId: world.detectorId,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'HIGH',
      timestamp,
      key,
      eid: key,
      name: key,
      message: 'Found.',
      meta: {},
      tags: [],
      chainUid: 'ethereum',
      txHash: '0xabc',
    });
    const findings = [finding('one'), finding('two')];
    await prepareRaise(world.store, findings);
    const hook = createNotifyOnAlerts({ links: world.services.alertLinks, now: world.now });
    const raised = await world.store.transaction((tx) => raiseAlerts(tx, findings, [hook]));
    const key = `vigil-${raised[0]!.incident!.uid}`;
    await until(async () => pager.taken.length >= 2 || undefined);
    expect(pager.alerts.get(key)).toBe('triggered');
    await world.ok('POST', 'alert/resolve', { query: 'name:one' });
    await until(async () => {
      const rows = await world.store.query<{ count: number }>(
        sql`select count(*)::int as count from delivery where type = 'alert.resolved' and state = 'DELIVERED'`,
      );
      return rows[0]!.count === 1 || undefined;
    });
    expect(pager.alerts.get(key)).toBe('triggered');
    await world.ok('POST', 'alert/resolve', { query: 'name:two' });
    await until(async () => pager.alerts.get(key) === 'resolved' || undefined);
    // An attempt whose answer was lost is repeated, and the pager stays as it is.
    const [first] = await world.store.query<Json>(
      sql`select uid::text from delivery where type = 'alert.detector.raised' limit 1`,
    );
    const before = pager.taken.length;
    await world.ok('POST', `delivery/${first!.uid}/replay`);
    await until(async () => pager.taken.length > before || undefined);
    expect(pager.alerts.get(key)).toBe('resolved');
    expect(world.errors).toEqual([]);
  });
});

it('has one message under way at a pager from all processes together, and loses none', async () => {
  let [open, most] = [0, 0];
  const taken: string[] = [];
  const server = createServer((request, response) => {
    most = Math.max(most, ++open);
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () =>
      setTimeout(() => {
        taken.push(JSON.parse(text).dedup_key);
        open--;
        response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"success"}');
      }, 30),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const world = await startNotifyWorld();
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = { routingKey: pager.routingKey, url };
    const made = await world.ok('POST', 'destination', {
      tenantId: world.tenantId,
      type: 'PAGERDUTY',
      settings,
    });
    await world.bind(made.id);
    await world.push(...Array.from({ length: 15 }, (_, n) => ({ severity: 'HIGH', name: `Drain ${n}` })));
    for (let n = 0; n < 3; n++) world.work();
    await until(() => taken.length >= 15);
    expect([most, taken.length, new Set(taken).size, world.errors]).toEqual([1, 15, 15, []]);
    expect(await world.store.query(sql`select 1 from delivery_turn`)).toEqual([]);
  } finally {
    await world.stop();
    await new Promise((resolve) => server.close(resolve));
  }
});
