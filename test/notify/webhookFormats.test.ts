import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { http } from '../../src/destinations/kinds/http.ts';
import { webhookSignature } from '../../src/destinations/toWebhookRequest.ts';
import type { Message } from '../../src/model/notification.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { alertMessage, targetOf } from './support/messages.ts';

const now = Date.UTC(2026, 10, 16);
const secret = `whsec_${Buffer.from('secret').toString('base64')}`;
const post = (settings: Json, message: Message) => {
  const target = targetOf({ type: 'HTTP', value: 'https://example.com/', secrets: [secret], settings });
  const made = http.request(target, [message], { now });
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = made.headers;
  const signed = { id: id!, timestamp: Number(timestamp), body: made.body };
  expect(signature).toBe(webhookSignature([secret], signed));
  return made;
};
const alert = alertMessage('d-1', {
  contract: { name: 'Vault "A"', address: '0x11', chainUid: 'ethereum' },
  incidentUid: 'i-1',
  meta: { amount: 5, note: 'line\nbreak "quoted"' },
  timestamp: now,
  links: { alert: 'https://vigil.example.com/alert/a-1', explorer: null },
});
const long = alertMessage('d-1', { message: 'x'.repeat(50_000), meta: { note: 'y'.repeat(50_000) } });

describe('a webhook as a CloudEvent', () => {
  it('has the attributes that the specification requires, with the alert as its data', () => {
    const { headers, body } = post({ format: 'cloudevents' }, alert);
    expect(headers['content-type']).toBe('application/cloudevents+json; charset=UTF-8');
    const event = JSON.parse(body);
    expect(event).toMatchObject({
      specversion: '1.0',
      id: 'd-1',
      source: '/vigil/tenant/1',
      type: 'vigil.alert.detector.raised',
      subject: 'a-1',
      time: '2026-11-15T00:00:00.000Z',
      datacontenttype: 'application/json',
      data: alert.data,
    });
    // Names of attributes have lower-case letters and digits alone.
    for (const name of Object.keys(event)) expect(name).toMatch(/^[a-z0-9]{1,20}$/);
    expect(post({ format: 'cloudevents' }, long).body.length).toBeLessThan(20_000);
  });
});

describe('a webhook as a Detection Finding', () => {
  const finding = (message: Message) => JSON.parse(post({ format: 'ocsf' }, message).body);

  it('has the attributes that the class requires, and closes what is resolved', () => {
    expect(finding(alert)).toMatchObject({
      category_uid: 2,
      class_uid: 2004,
      activity_id: 1,
      type_uid: 200_401,
      severity_id: 4,
      status_id: 1,
      time: alert.timestamp,
      metadata: { version: '1.3.0', product: { name: 'Vigil' }, uid: 'd-1' },
      finding_info: { uid: 'a-1', title: 'Large transfer', src_url: 'https://vigil.example.com/alert/a-1' },
      resources: [{ uid: '0x11', name: 'Vault "A"' }],
    });
    expect(finding({ ...alert, type: 'alert.resolved' })).toMatchObject({
      activity_id: 3,
      type_uid: 200_403,
      status_id: 4,
    });
    expect(finding({ ...alert, type: 'ping', data: {} })).toMatchObject({ class_uid: 0, category_uid: 0 });
    expect(JSON.stringify(finding(long)).length).toBeLessThan(20_000);
  });
});

describe('a webhook by a template', () => {
  it('stays JSON whatever the values are, and keeps their types', () => {
    const template = JSON.stringify({
      summary: '{title}: {text}',
      place: '{alert.contract.name}',
      amount: '{alert.meta.amount}',
      note: 'note {alert.meta.note}',
      all: '{alert.meta}',
      missing: '{alert.txHash}',
      list: ['{alert.severity}', 7, null],
    });
    const { headers, body } = post({ format: 'template', template }, alert);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual({
      summary: '[HIGH] Large transfer · Vault "A" on ethereum: A lot left.',
      place: 'Vault "A"',
      amount: 5,
      note: 'note line\nbreak "quoted"',
      all: { amount: 5, note: 'line\nbreak "quoted"' },
      missing: null,
      list: ['HIGH', 7, null],
    });
  });

  it('may be text, in which what a message lacks is empty', () => {
    const template = '{{{type}}} {alert.severity} {alert.txHash}{alert.name} {link}';
    const { headers, body } = post({ format: 'template', template }, alert);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).toBe('{alert.detector.raised} HIGH Large transfer https://vigil.example.com/alert/a-1');
    // A value is never read as a template.
    const tricky = alertMessage('d-1', { name: '{alert.meta.note}' });
    expect(post({ format: 'template', template: '{alert.name}' }, tricky).body).toBe('{alert.meta.note}');
  });

  it('holds a bounded body however often a template names the evidence', () => {
    const large = { ...alert, meta: { list: Array.from({ length: 20_000 }, () => 'x'.repeat(40)) } };
    const started = process.cpuUsage();
    for (const piece of ['{alert.meta}', 'Evidence: {alert.meta.list}']) {
      const list = Array.from({ length: 600 }, () => piece);
      const { body } = post({ format: 'template', template: JSON.stringify(list) }, large);
      const filled = JSON.parse(body) as unknown[];
      expect(filled).toHaveLength(600);
      expect(body.length).toBeLessThan(2_000_000);
      expect(JSON.stringify(filled.at(-1)).length).toBeLessThan(60);
    }
    expect(
      post({ format: 'template', template: '{alert.meta.list}'.repeat(1000) }, large).body.length,
    ).toBeLessThan(1_100_000);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(3_000);
  });
});

describe('the format of a webhook', () => {
  let api: TestApi;
  let tenantId: number;
  beforeAll(async () => {
    api = await startTestApi();
    tenantId = (await createWorld(api)).tenant.id;
  });
  afterAll(() => api.stop());
  const body = (settings: Json) => ({ tenantId, type: 'HTTP', uri: 'https://example.com/hook', settings });

  it.each([
    [{ format: 'xml' }, '/settings/format'],
    [{ format: 'template' }, '/settings/template'],
    [{ format: 'template', template: '  ' }, '/settings/template'],
    [{ format: 'template', template: '{"a": {alert.name}}' }, '/settings/template'],
    [{ format: 'template', template: '{alert.nmae}' }, '/settings/template'],
    [{ format: 'template', template: '{"a":"{secret}"}' }, '/settings/template'],
    [{ format: 'template', template: 5 }, '/settings/template'],
  ])('is refused where it is %j', async (settings, pointer) => {
    expectProblem(await api.call('POST', 'destination', body(settings)), 400, pointer);
  });

  it('is kept, shown by the preview, and standard by default', async () => {
    const settings = { format: 'template', template: '{"level":"{alert.severity}","text":"{title}"}' };
    const { id } = await api.ok('POST', 'destination', body(settings));
    expect((await api.ok('GET', `destination/${id}`)).settings).toEqual(settings);
    const { body: shown } = await api.ok('POST', `destination/${id}/preview`, {});
    expect(JSON.parse(shown)).toEqual({ level: null, text: 'Vigil can reach this destination' });
    await api.ok('PUT', `destination/${id}`, { settings: {} });
    expect((await api.ok('GET', `destination/${id}`)).settings).toEqual({ format: 'standard' });
    const standard = await api.ok('POST', `destination/${id}/preview`, {});
    expect(JSON.parse(standard.body)).toMatchObject({ type: 'ping' });
  });
});
