import { createECDH } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { webPush } from '../../src/destinations/kinds/webPush.ts';
import { encryptPush, maxPushBytes, vapidHeader } from '../../src/destinations/webPush.ts';
import { until } from '../../testing/until.ts';
import { alertMessage, targetOf } from './support/messages.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';
import { bytes, checkVapid, createBrowser, startPushService } from './support/pushService.ts';

const vapid = createECDH('prime256v1');
vapid.generateKeys();
const browser = createBrowser();
const settingsAt = (endpoint: string) => ({
  endpoint,
  p256dh: browser.p256dh,
  auth: browser.auth,
  vapidKey: vapid.getPrivateKey().toString('base64url'),
  contact: 'https://vigil.example.com',
});

let world: NotifyWorld;
let service: Awaited<ReturnType<typeof startPushService>>;
beforeAll(async () => {
  [world, service] = await Promise.all([startNotifyWorld(), startPushService(() => vapid.getPublicKey())]);
});
afterAll(async () => {
  await world.stop();
  await service.close();
});

it('encrypts the example of RFC 8291 to the same bytes', () => {
  const text = Buffer.from('When I grow up, I want to be a watermelon');
  const keys = {
    p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  };
  const drawn = {
    salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
    privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  };
  expect(encryptPush(text, keys, drawn).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

it('draws another salt and key for each message', () => {
  const keys = { p256dh: bytes(browser.p256dh), auth: bytes(browser.auth) };
  const [one, other] = [encryptPush(Buffer.from('a'), keys), encryptPush(Buffer.from('a'), keys)];
  expect(one.subarray(0, 16)).not.toEqual(other.subarray(0, 16));
  expect(one.subarray(21, 86)).not.toEqual(other.subarray(21, 86));
  expect(browser.open(one)).toBe('a');
});

it('signs for the push service of the endpoint alone, for less than a day', () => {
  const now = Date.UTC(2026, 10, 15);
  const header = vapidHeader(
    'https://push.example.com:8443/send/secret',
    vapid.getPrivateKey(),
    'mailto:a@b.example',
    now,
  );
  expect(checkVapid(header, vapid.getPublicKey())).toEqual({
    aud: 'https://push.example.com:8443',
    exp: now / 1000 + 12 * 3600,
    sub: 'mailto:a@b.example',
  });
  expect(header).not.toContain('secret');
});

it('fits any message into one record, and keeps hostile text text', () => {
  const texts = [
    'x'.repeat(20_000),
    '🐉'.repeat(9_000),
    '\u202E<script>"\\\n'.repeat(2_000),
    '\ud800'.repeat(5_000),
  ];
  for (const text of texts) {
    const target = targetOf({ type: 'WEB_PUSH', settings: settingsAt('https://push.example.com/a') });
    const message = alertMessage('a-1', { name: text.slice(0, 200), message: text });
    const made = webPush.request(target, [message], { now: Date.now() });
    expect(Buffer.byteLength(made.body)).toBeLessThanOrEqual(maxPushBytes);
    expect(made.bytes!.length).toBeLessThanOrEqual(4096);
    expect(JSON.parse(browser.open(made.bytes!))).toEqual(JSON.parse(made.body));
  }
});

it('reaches the browser, which alone can read it, with a link and an urgency', async () => {
  const settings = settingsAt(`${service.url}/send/device-token`);
  const made = await world.ok('POST', 'destination', {
    tenantId: world.tenantId,
    type: 'WEB_PUSH',
    name: 'Phone',
    settings,
  });
  const shown = JSON.stringify(made);
  for (const secret of [settings.auth, settings.vapidKey, 'device-token'])
    expect(shown).not.toContain(secret);
  await world.ok('POST', `destination/${made.id}/test`);
  const received = await until(async () => service.pushed[0]);
  expect(received.path).toBe('/send/device-token');
  expect(received.headers).toMatchObject({ ttl: '86400', urgency: 'normal' });
  expect(checkVapid(String(received.headers.authorization), vapid.getPublicKey())).toMatchObject({
    sub: 'https://vigil.example.com',
  });
  const message = JSON.parse(browser.open(received.bytes));
  expect(message).toMatchObject({ title: 'Vigil can reach this destination', isUrgent: false });
});

it('ends with a browser that withdrew its permission, and waits where the push service asks', () => {
  const answer = (status: number, headers = {}) =>
    webPush.outcome({ status, headers, text: '', shown: '' }, Date.now());
  expect(answer(201)).toMatchObject({ ok: true });
  for (const status of [404, 410]) expect(answer(status)).toMatchObject({ gone: true, permanent: true });
  expect(answer(413)).toMatchObject({ ok: false, permanent: true });
  expect(answer(429, { 'retry-after': '7' })).toMatchObject({ ok: false, retryAfterMs: 7000 });
});

it('disables the destination of a browser that ended its subscription, and pushes nothing more to it', async () => {
  const settings = settingsAt(`${service.url}/send/ended`);
  const body = { tenantId: world.tenantId, type: 'WEB_PUSH', name: 'Old phone', settings };
  const { id } = await world.ok('POST', 'destination', body);
  service.ended.add('/send/ended');
  world.work();
  await world.bind(id);
  await world.push({}, {});
  const health = await until(async () => {
    const found = await world.deliveries(id);
    return found.status === 'DISABLED' ? found : undefined;
  });
  expect(health.disabledReason).toContain('410');
  expect(health.data.map(({ state }: { state: string }) => state)).toEqual(['DEAD', 'DEAD']);
  expect(service.pushed.filter(({ path }) => path === '/send/ended')).toEqual([]);
});

it('refuses keys that are none, and addresses inside', async () => {
  const settings = settingsAt(`${service.url}/send/x`);
  const refuse = async (wrong: Record<string, string>, pointer: string) => {
    const body = {
      tenantId: world.tenantId,
      type: 'WEB_PUSH',
      name: 'x',
      settings: { ...settings, ...wrong },
    };
    const answer = await world.call('POST', 'destination', body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    const [fault] = (answer.body as { errors: { pointer: string; code: string }[] }).errors;
    expect(fault?.pointer).toBe(pointer);
  };
  await refuse({ p256dh: `B${'A'.repeat(86)}` }, '/settings/p256dh');
  await refuse({ vapidKey: 'A'.repeat(43) }, '/settings/vapidKey');
  await refuse({ auth: 'short' }, '/settings/auth');
  await refuse({ endpoint: 'ftp://push.example.com/a' }, '/settings/endpoint');
});
