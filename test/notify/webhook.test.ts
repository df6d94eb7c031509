import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookSignature } from '../../src/destinations/toWebhookRequest.ts';
import { until } from '../../testing/until.ts';
import type { Received } from './support/httpSink.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

const hour = 3_600_000;
let world: NotifyWorld;
beforeAll(async () => {
  world = await startNotifyWorld();
  world.work();
});
afterAll(() => world.stop());

/** The signatures that the receiver of a request works out for itself. */
function expected(secret: string, { headers, text }: Received): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

function receivedAt(path: string): Promise<Received> {
  return until(() => world.sink.received.findLast((request) => request.path === path));
}

describe('the signature of a webhook', () => {
  const vector = JSON.parse(
    readFileSync(new URL('../vectors/webhook-signature-vector.json', import.meta.url), 'utf8'),
  );

  it('is that of the Standard Webhooks vector, and of openssl', () => {
    const { secret, body } = vector;
    const id = vector['webhook-id'];
    const timestamp = Number(vector['webhook-timestamp']);
    const made = webhookSignature([secret], { id, timestamp, body });
    expect(made).toBe(vector['webhook-signature']);
    const hex = Buffer.from(secret.slice('whsec_'.length), 'base64').toString('hex');
    const program = 'openssl';
    const digest = execFileSync(
      program,
      ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${hex}`, '-binary'],
      { input: `${id}.${timestamp}.${body}` },
    );
    expect(made).toBe(`v1,${digest.toString('base64')}`);
  });

  it('verifies with the secret, which is shown once', async () => {
    const { id, secret } = await world.addDestination('/signed');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await world.bind(id);
    await world.push({});
    const request = await receivedAt('/signed');
    expect(request.headers['webhook-signature']).toBe(expected(secret, request));
    expect(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(5);
    for (const answer of [
      await world.call('GET', `destination/${id}`),
      await world.call('PUT', `destination/${id}`, { tags: ['DEFAULT'] }),
      await world.call('GET', 'audit'),
    ]) {
      expect(answer.headers.get('x-webhook-secret')).toBeNull();
      expect(answer.text).not.toContain(secret.slice(6));
    }
  });

  it('is made with the old and the new secret for a day after a rotation, then with the new one alone', async () => {
    const { id, secret } = await world.addDestination('/rotated');
    await world.bind(id);
    const rotated = await world.ok('POST', `destination/${id}/secret`);
    expect(rotated.secret).not.toBe(secret);
    await world.push({});
    const first = await receivedAt('/rotated');
    expect(first.headers['webhook-signature']).toBe(
      `${expected(rotated.secret, first)} ${expected(secret, first)}`,
    );
    world.advance(rotated.previousUntil - world.now() + 1);
    await world.push({});
    const second = await until(() => world.sink.received.filter(({ path }) => path === '/rotated')[1]);
    expect(second.headers['webhook-signature']).toBe(expected(rotated.secret, second));
  });

  it('is made with every secret of the last day when it is replaced more than once, up to ten of them', async () => {
    const { id, secret } = await world.addDestination('/twice');
    await world.bind(id);
    const second = await world.ok('POST', `destination/${id}/secret`);
    world.advance(hour);
    const third = await world.ok('POST', `destination/${id}/secret`);
    await world.push({});
    const all = await receivedAt('/twice');
    expect(all.headers['webhook-signature']).toBe(
      [third.secret, second.secret, secret].map((each) => expected(each, all)).join(' '),
    );
    world.advance(23.5 * hour);
    await world.push({});
    const rest = await until(() => world.sink.received.filter(({ path }) => path === '/twice')[1]);
    expect(rest.headers['webhook-signature']).toBe(
      [third.secret, second.secret].map((each) => expected(each, rest)).join(' '),
    );
    for (let n = 0; n < 9; n++) await world.ok('POST', `destination/${id}/secret`);
    const refused = await world.call('POST', `destination/${id}/secret`);
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, 'too-many-secrets']);
    world.advance(24 * hour);
    await world.ok('POST', `destination/${id}/secret`);
  });

  it('is refused a new secret for what is no HTTP destination, and for what is another tenant’s', async () => {
    const mail = await world.ok('POST', 'destination', {
      tenantId: world.tenantId,
      type: 'EMAIL',
      value: 'alice@example.com',
    });
    expect((await world.call('POST', `destination/${mail.id}/secret`)).status).toBe(422);
    const other = await world.ok('POST', 'tenant', { name: 'Other' });
    const token = await world.token(other.id, 'tenant-manager');
    for (const [method, path] of [
      ['POST', `destination/${mail.id}/secret`],
      ['POST', `destination/${mail.id}/test`],
      ['POST', `destination/${mail.id}/preview`],
      ['GET', `destination/${mail.id}/delivery`],
      ['GET', `destination/${mail.id}/binding`],
    ] as const) {
      const body = path.endsWith('preview') ? {} : undefined;
      const answer = await world.call(method, path, body, { token });
      expect([answer.status, answer.body.code], path).toEqual([404, 'not-found']);
    }
  });

  it('is there from the moment a destination becomes an HTTP one', async () => {
    const mail = await world.ok('POST', 'destination', {
      tenantId: world.tenantId,
      type: 'EMAIL',
      value: 'bob@example.com',
    });
    const changed = await world.call('PUT', `destination/${mail.id}`, {
      type: 'HTTP',
      uri: `${world.sink.url}/became`,
      value: `${world.sink.url}/became`,
    });
    expect(changed.headers.get('x-webhook-secret')).toMatch(/^whsec_/);
  });
});

describe('a webhook', () => {
  it('carries the alert as its readers see it, with contract, project and links, by the method and headers asked for', async () => {
    const { id } = await world.addDestination('/whole', {
      method: 'PUT',
      headers: { 'X-Team': 'blue', 'Content-Type': 'application/vnd.vigil+json' },
    });
    await world.bind(id);
    const [uid] = await world.push({
      severity: 'HIGH',
      txHash: '0xabc',
      meta: { caller: '0x01' },
      tags: ['x'],
    });
    const { method, headers, body } = await receivedAt('/whole');
    expect([method, headers['x-team'], headers['content-type']]).toEqual([
      'PUT',
      'blue',
      'application/vnd.vigil+json',
    ]);
    expect(body.type).toBe('alert.detector.raised');
    expect(new Date(body.timestamp).toISOString()).toBe(body.timestamp);
    const { contract, project, links, incident, ...alert } = body.data;
    expect(incident).toEqual({ uid: alert.incidentUid, number: 1 });
    expect(alert).toEqual(await world.ok('GET', `alert/${uid}`));
    expect(contract).toEqual({
      id: world.contractId,
      name: 'Treasury',
      address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      chainUid: 'ethereum',
    });
    expect(project.name).toBe('Vault');
    expect(links).toEqual({
      explorer: 'https://etherscan.io/tx/0xabc',
      alert: `https://vigil.example.com/alert/${uid}`,
    });
  });

  it('stays below 20 kB, whatever the alert carries', async () => {
    const { id } = await world.addDestination('/long');
    await world.bind(id);
    await world.push({ message: '€'.repeat(9000), meta: { text: 'x'.repeat(50_000) } });
    const request = await receivedAt('/long');
    expect(Buffer.byteLength(request.text)).toBeLessThan(20_000);
    expect(request.body.data).toMatchObject({ truncated: true, severity: 'MEDIUM' });
  });

  it('is tried at once on demand, logged, and shown beforehand without its secrets', async () => {
    const { id, secret } = await world.addDestination('/tested', { headers: { 'X-Key': 'hush' } });
    const test = await world.ok('POST', `destination/${id}/test`);
    expect(test).toMatchObject({ delivered: true, status: 200, error: null });
    expect((await receivedAt('/tested')).body.type).toBe('ping');
    world.sink.script('/tested', [503]);
    const failed = await world.ok('POST', `destination/${id}/test`);
    expect(failed).toMatchObject({
      delivered: false,
      status: 503,
      error: 'The receiver responded with 503.',
    });
    const { data } = await world.deliveries(id);
    expect(
      data.map(({ uid, type, state }: { uid: string; type: string; state: string }) => [uid, type, state]),
    ).toEqual([
      [failed.uid, 'ping', 'DEAD'],
      [test.uid, 'ping', 'DELIVERED'],
    ]);
    await world.bind(id);
    const [uid] = await world.push({ name: 'Drained' });
    const preview = await world.call('POST', `destination/${id}/preview`, { alertUid: uid });
    expect(preview.body).toMatchObject({ type: 'HTTP', method: 'POST', uri: `${world.sink.url}/tested` });
    expect(JSON.parse(preview.body.body).data).toMatchObject({ uid, name: 'Drained' });
    const path = `destination/${id}/preview`;
    const tried = await world.ok('POST', path, { alertUid: uid, template: '{name} is {severity}.' });
    expect(JSON.parse(tried.body).data.message).toMatch(/^Drained is [A-Z]+\.$/);
    const refused = await world.call('POST', path, { alertUid: uid, template: 'To {nobody}.' });
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0]).toMatchObject({ pointer: '/template', code: 'unknown-member' });
    expect(refused.body.detail).toContain('{nobody} is not a member of this alert; it has ');
    expect(preview.body.headers).toMatchObject({ 'x-key': '[sealed]', 'webhook-signature': 'v1,[sealed]' });
    expect(preview.text).not.toContain('hush');
    expect(preview.text).not.toContain(secret.slice(6));
    const unknown = await world.call('POST', `destination/${id}/preview`, { alertUid: 'unknown' });
    expect(unknown.status).toBe(404);
    const wrong = await world.call('POST', `destination/${id}/preview`, { alertUuid: uid });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid-input']);
  });
});
