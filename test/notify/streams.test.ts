import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toEgress } from '../../src/lib/egress.ts';
import type { Message, Target } from '../../src/model/notification.ts';
import { createRequestSender } from '../../src/notify/createRequestSender.ts';
import { createStreamSender } from '../../src/notify/createStreamSender.ts';
import { createCertificate } from '../../testing/createCertificate.ts';
import { type Aws, startAws } from '../../testing/startAws.ts';
import { type Syslog, startSyslog } from '../../testing/startSyslog.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { alertMessage, targetOf } from './support/messages.ts';
import { loopback } from './support/notifyWorld.ts';

const never = new AbortController().signal;
const long = 'very long "text" \u202E '.repeat(20_000);
const ping: Message = { uid: 'u', sequence: 7, type: 'ping', timestamp: Date.now(), data: {} };

describe('a syslog server', () => {
  let syslog: Syslog;
  const sender = createStreamSender({ egress: toEgress(loopback()) });
  const target = (settings: Record<string, unknown> = {}): Target =>
    targetOf({
      type: 'SYSLOG',
      settings: { host: '127.0.0.1', port: syslog.port, certificate: syslog.certificate, ...settings },
    });
  beforeAll(async () => {
    syslog = await startSyslog();
  });
  afterAll(() => syslog.stop());

  it.each([
    ['INFO', 134],
    ['LOW', 133],
    ['MEDIUM', 132],
    ['HIGH', 131],
    ['CRITICAL', 130],
  ])(
    'gets an alert that is %s with the priority %s, as the JSON of a webhook',
    async (severity, priority) => {
      expect(await sender.send(target(), [alertMessage('d-1', { severity })], never)).toEqual({ ok: true });
      expect(syslog.messages.at(-1)).toMatchObject({
        priority,
        time: '2026-11-15T00:00:00.000Z',
        id: 'alert.detector.raised',
        body: { type: 'alert.detector.raised', data: { severity } },
      });
    },
  );

  it('gets whole frames of at most 8 KB, whatever is in a message', async () => {
    const message = alertMessage('d-1', { name: long, message: long, meta: { long } });
    expect(await sender.send(target({ facility: 23 }), [message], never)).toEqual({ ok: true });
    expect(await sender.send(target({ host: 'localhost' }), [ping], never)).toEqual({ ok: true });
    expect(syslog.faults).toEqual([]);
    expect(sender.render(target(), [ping]).body).toMatch(/^\d+ <134>1 /);
  });

  it('is refused where another authority signed its certificate, and where it is away', async () => {
    const count = syslog.messages.length;
    for (const certificate of [undefined, createCertificate().cert]) {
      const outcome = await sender.send(target({ certificate }), [ping], never);
      expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining('TLS') });
    }
    const away = await sender.send(target({ port: 1 }), [ping], never);
    expect(away).toMatchObject({ ok: false, error: 'The receiver refuses connections.' });
    expect(syslog.messages).toHaveLength(count);
  });

  it('is not reached inside a network that the tenant may not reach, by number or by name', async () => {
    const connections = syslog.connections();
    const guarded = createStreamSender({
      egress: toEgress(new BlockList()),
      resolve: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '::1',
      '[::1]',
      'localhost',
      'inside.example',
      '0x7f.1',
      '10.0.0.1',
    ]) {
      const outcome = await guarded.send(target({ host, port: 6514 }), [ping], never);
      expect(outcome.ok ? '' : outcome.error, host).toMatch(/private or reserved network/);
    }
    const other = await guarded.send(target({ host: 'public.example', port: 22 }), [ping], never);
    expect(other).toMatchObject({ ok: false, error: expect.stringContaining('port') });
    expect(syslog.connections()).toBe(connections);
  });
});

describe('the settings of a syslog server', () => {
  let api: TestApi;
  let tenantId: number;
  beforeAll(async () => {
    api = await startTestApi();
    tenantId = (await createWorld(api)).tenant.id;
  });
  afterAll(() => api.stop());

  it.each([
    [{}, '/settings/host'],
    [{ host: '127.0.0.1' }, '/settings/host'],
    [{ host: 'a@b' }, '/settings/host'],
    [{ host: 'syslog.example.com/x' }, '/settings/host'],
    [{ host: 'syslog.example.com', port: 22 }, '/settings/host'],
    [{ host: 'syslog.example.com', port: 0 }, '/settings/port'],
    [{ host: 'syslog.example.com', facility: 24 }, '/settings/facility'],
    [{ host: 'syslog.example.com', certificate: 'none' }, '/settings/certificate'],
  ])('are refused where they are %j', async (settings, pointer) => {
    expectProblem(
      await api.call('POST', 'destination', { tenantId, type: 'SYSLOG', settings }),
      400,
      pointer,
    );
  });

  it('have the port and the facility that are usual', async () => {
    const settings = { host: 'syslog.example.com' };
    const { id, value } = await api.ok('POST', 'destination', { tenantId, type: 'SYSLOG', settings });
    expect(value).toBe('syslog://syslog.example.com:6514/[sealed]');
    expect((await api.ok('GET', `destination/${id}`)).settings).toEqual({
      ...settings,
      port: 6514,
      facility: 16,
    });
  });
});

describe('a topic and a queue of AWS', () => {
  let aws: Aws;
  const sender = createRequestSender({ egress: toEgress(loopback()), now: Date.now });
  const sns = (over: Record<string, unknown> = {}) => {
    const { accessKeyId, secretAccessKey, url } = aws;
    const topicArn = 'arn:aws:sns:eu-central-1:123456789012:alerts';
    const settings = { topicArn, endpoint: url, accessKeyId, secretAccessKey, ...over };
    return targetOf({ type: 'SNS', settings });
  };
  const sqs = (over: Record<string, unknown> = {}) => {
    const { accessKeyId, secretAccessKey, url } = aws;
    const queueUrl = `${url}/123456789012/alerts`;
    const settings = { queueUrl, region: 'eu-central-1', accessKeyId, secretAccessKey, ...over };
    return targetOf({ type: 'SQS', settings });
  };
  beforeAll(async () => {
    aws = await startAws();
  });
  afterAll(async () => {
    await sender.close();
    await aws.stop();
  });

  it('get a signed message that they take, whatever is in it', async () => {
    const huge = 'z'.repeat(400_000);
    const messages = [
      ping,
      alertMessage('d-1', { name: 'Übergroße 🔴 Überweisung', incidentUid: 'i-1' }),
      alertMessage('d-2', { name: long, message: long, meta: { long, huge } }),
    ];
    for (const message of messages) {
      for (const target of [
        sns(),
        sns({ topicArn: 'arn:aws:sns:eu-central-1:123456789012:alerts.fifo' }),
        sqs(),
        sqs({ queueUrl: `${aws.url}/123456789012/alerts.fifo` }),
      ]) {
        expect(await sender.send(target, [message], never)).toEqual({ ok: true, status: 200 });
        const sent = aws.messages.at(-1)!;
        expect(JSON.parse(sent.Message ?? sent.MessageBody)).toMatchObject({ type: message.type });
      }
    }
    expect(aws.messages.find(({ MessageGroupId }) => MessageGroupId === 'i-1')).toBeDefined();
  });

  it('refuse a message that is signed with another key, and no error shows the key', async () => {
    for (const target of [sns, sqs].map((make) => make({ secretAccessKey: 'aws-secret-other' }))) {
      const outcome = await sender.send(target, [ping], never);
      expect(outcome).toMatchObject({ ok: false, status: 403 });
      expect(outcome).not.toHaveProperty('permanent');
      const shown = sender.render(target, [ping]);
      expect(JSON.stringify([outcome, shown])).not.toContain('aws-secret');
    }
  });

  it('are tried again where AWS asks for less, and not where a message is wrong', async () => {
    aws.answer(
      { status: 400, body: { __type: 'ThrottlingException' } },
      { status: 400, body: { __type: 'InvalidParameter' } },
    );
    expect(await sender.send(sqs(), [ping], never)).not.toHaveProperty('permanent');
    expect(await sender.send(sqs(), [ping], never)).toMatchObject({ ok: false, permanent: true });
  });

  it('lie in the region that their name says', () => {
    const { uri } = sender.render(sns({ endpoint: undefined }), [ping]);
    expect(uri).toBe('https://sns.eu-central-1.amazonaws.com/');
    const china = { endpoint: undefined, topicArn: 'arn:aws-cn:sns:cn-north-1:123456789012:alerts' };
    expect(sender.render(sns(china), [ping]).uri).toBe('https://sns.cn-north-1.amazonaws.com.cn/');
  });
});
