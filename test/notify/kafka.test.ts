import { BlockList } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toEgress } from '../../src/lib/egress.ts';
import type { Message, Target } from '../../src/model/notification.ts';
import { createKafkaSender } from '../../src/notify/createKafkaSender.ts';
import { crc32c } from '../../src/notify/kafka/crc32c.ts';
import { murmur2, partitionOf } from '../../src/notify/kafka/partitionOf.ts';
import { type Kafka, startKafka } from '../../testing/startKafka.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { alertMessage, targetOf } from './support/messages.ts';
import { loopback } from './support/notifyWorld.ts';

const never = new AbortController().signal;
const login = { username: 'vigil,=a', password: 'kafka-sécret=,x' };
const sender = createKafkaSender({ egress: toEgress(loopback()), now: Date.now });
const ping: Message = { uid: 'u', sequence: 7, type: 'ping', timestamp: Date.now(), data: {} };
const errorOf = (outcome: Awaited<ReturnType<typeof sender.send>>) => (outcome.ok ? '' : outcome.error);
const to = (kafka: Kafka, settings: Record<string, unknown> = {}): Target =>
  targetOf({
    type: 'KAFKA',
    settings: { brokers: `127.0.0.1:${kafka.port}`, topic: 'alerts', tls: false, ...settings },
  });
const int32 = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
};

it('sums and spreads keys as Kafka does', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  const hashes = ['21', 'foobar', 'a-little-bit-long-string', 'abc'].map((text) =>
    murmur2(Buffer.from(text)),
  );
  expect(hashes).toEqual([-973932308, -790332482, -985981536, 479470107]);
  expect(partitionOf(Buffer.from('21'), 3)).toBe((-973932308 & 0x7fffffff) % 3);
});

describe('a broker without a login', () => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka();
  });
  beforeEach(() => {
    kafka.records.length = 0;
    kafka.faults.length = 0;
    kafka.leader = undefined;
  });
  afterAll(() => kafka.stop());

  it('gets all messages about an alert under its uid in one partition, each with an id of its own', async () => {
    for (const [uid, type] of [
      ['d-1', 'alert.detector.raised'],
      ['d-2', 'alert.updated'],
      ['d-3', 'alert.resolved'],
    ] as const)
      expect(await sender.send(to(kafka), [{ ...alertMessage(uid), type }], never)).toEqual({ ok: true });
    expect(await sender.send(to(kafka), [ping], never)).toEqual({ ok: true });
    expect(kafka.records.map(({ key }) => key)).toEqual(['a-1', 'a-1', 'a-1', 'u']);
    expect(new Set(kafka.records.slice(0, 3).map(({ partition }) => partition)).size).toBe(1);
    expect(kafka.records.map(({ headers }) => headers['webhook-id'])).toEqual(['d-1', 'd-2', 'd-3', 'u']);
    expect(JSON.parse(kafka.records[2]!.value)).toMatchObject({
      type: 'alert.resolved',
      data: { uid: 'a-1' },
    });
    expect(kafka.faults).toEqual([]);
  });

  it('gets the format that the destination asks for, whatever is in a message', async () => {
    const long = alertMessage('d-1', {
      name: 'ü🔴"'.repeat(50_000),
      meta: { long: '\u0001'.repeat(400_000) },
    });
    const template = '["{alert.name}","{alert.meta.long}","{alert.name}"]';
    for (const settings of [
      {},
      { format: 'cloudevents' },
      { format: 'ocsf' },
      { format: 'template', template },
    ])
      expect(await sender.send(to(kafka, settings), [long], never)).toEqual({ ok: true });
    for (const { value } of kafka.records) {
      expect(Buffer.byteLength(value)).toBeLessThan(1_000_000);
      JSON.parse(value);
    }
    expect(JSON.parse(kafka.records[1]!.value)).toMatchObject({ specversion: '1.0' });
    expect(sender.render(to(kafka), [ping])).toMatchObject({
      uri: `kafka://127.0.0.1:${kafka.port}/alerts`,
      headers: { 'webhook-id': 'u' },
    });
  });

  it('is asked in turn with the others of the cluster, so that one that is away costs nothing', async () => {
    const brokers = `127.0.0.1:1,127.0.0.1:${kafka.port}`;
    for (let n = 0; n < 4; n++)
      expect(await sender.send(to(kafka, { brokers }), [ping], never)).toEqual({ ok: true });
    const away = await sender.send(to(kafka, { brokers: '127.0.0.1:1,127.0.0.1:2' }), [ping], never);
    expect(errorOf(away)).toMatch(/127.0.0.1:1: The receiver refuses.*127.0.0.1:2: The receiver refuses/);
  });

  it.each([
    ['produce', 6, /NOT_LEADER/, false],
    ['produce', 19, /NOT_ENOUGH_REPLICAS/, false],
    ['produce', 10, /max\.message\.bytes/, true],
    ['produce', 29, /may not write/, false],
    ['produce', 999, /the error 999/, false],
    ['metadata', 3, /does not exist/, false],
    ['versions', 35, /0\.11 or newer/, false],
  ] as const)('is told apart where it answers %s with %i', async (name, error, words, permanent) => {
    kafka.override(name, { error });
    const outcome = await sender.send(to(kafka), [ping], never);
    expect(errorOf(outcome)).toMatch(words);
    expect('permanent' in outcome).toBe(permanent);
    expect(kafka.records).toEqual([]);
    expect(await sender.send(to(kafka), [ping], never)).toEqual({ ok: true });
  });

  it('leaves a record for later where a partition has no leader', async () => {
    kafka.leader = null;
    expect(errorOf(await sender.send(to(kafka), [ping], never))).toMatch(/no leader at present/);
    expect(kafka.records).toEqual([]);
  });

  it('gives the record to the leader that it names', async () => {
    const other = await startKafka();
    kafka.leader = { host: 'localhost', port: other.port };
    other.leader = { host: '127.0.0.1', port: 1 };
    expect(await sender.send(to(kafka), [ping], never)).toEqual({ ok: true });
    expect([kafka.records.length, other.records.length]).toEqual([0, 1]);
    expect([...kafka.faults, ...other.faults]).toEqual([]);
    await other.stop();
  });

  it('cannot lead the connection to a network that the tenant may not reach, nor to another port', async () => {
    const inner = await startKafka();
    const networks = new BlockList();
    networks.addAddress('127.0.0.2', 'ipv4');
    const asked: string[] = [];
    const guarded = createKafkaSender({
      egress: { ...toEgress(networks), ports: new Set([9999]) },
      now: Date.now,
      timeLimitMs: 3000,
      resolve: (name, _options, callback) => {
        asked.push(name);
        const address =
          name === 'first.example' ? '127.0.0.2' : name === 'public.example' ? '93.184.216.34' : '127.0.0.1';
        callback(null, [{ address, family: 4 }]);
      },
    });
    const first = await startKafka({ address: '127.0.0.2' });
    const target = to(first, { brokers: `first.example:${first.port}` });
    expect(await guarded.send(to(first, { brokers: '127.0.0.1:9092' }), [ping], never)).toMatchObject({
      ok: false,
    });
    const { port } = inner;
    for (const [host, words] of [
      ['127.0.0.1', /private or reserved network/],
      ['2130706433', /private or reserved network/],
      ['0x7f.1', /private or reserved network/],
      ['::1', /private or reserved network/],
      ['::ffff:127.0.0.1', /private or reserved network/],
      ['169.254.169.254', /private or reserved network/],
      ['metadata.google.internal', /private or reserved network/],
      ['localhost', /private or reserved network/],
      ['inner.example', /private or reserved network/],
      ['public.example', /port/],
      ['', /without a valid address/],
      ['127.0.0.1/', /without a valid address/],
      ['a@127.0.0.1', /without a valid address/],
      ['x\r\ny', /without a valid address/],
      ['h'.repeat(300), /without a valid address/],
    ] as const) {
      first.leader = { host, port };
      expect(errorOf(await guarded.send(target, [ping], never)), host).toMatch(words);
    }
    for (const wrong of [0, -1, 70_000]) {
      first.leader = { host: '127.0.0.2', port: wrong };
      expect(errorOf(await guarded.send(target, [ping], never))).toMatch(/without a valid address/);
    }
    first.leader = undefined;
    expect(asked).toContain('inner.example');
    expect([inner.connections(), inner.records]).toEqual([0, []]);
    await Promise.all([inner.stop(), first.stop(), guarded.close()]);
  });

  it('is refused at once where its answer is none of the protocol, and within the time where none comes', async () => {
    const quick = createKafkaSender({ egress: toEgress(loopback()), now: Date.now, timeLimitMs: 700 });
    const frame = (...parts: Buffer[]) => Buffer.concat([int32(Buffer.concat(parts).length), ...parts]);
    const hostile: [string, (correlation: number) => Buffer, RegExp][] = [
      ['a giant frame', () => int32(0x7fffffff), /does not answer as a broker/],
      ['a negative length', () => int32(-5), /does not answer as a broker/],
      ['a short frame', () => int32(3), /does not answer as a broker/],
      ['another correlation', (id) => frame(int32(id + 1), int32(0)), /does not answer as a broker/],
      [
        'a list without end',
        (id) => frame(int32(id), int32(0), int32(0x7fffffff)),
        /does not answer as a broker/,
      ],
      ['a negative list', (id) => frame(int32(id), int32(0), int32(-9)), /does not answer as a broker/],
      [
        'a long text',
        (id) => frame(int32(id), int32(0), int32(1), int32(7), Buffer.from([0x7f, 0xff])),
        /does not answer/,
      ],
      ['nothing in it', (id) => frame(int32(id)), /does not answer as a broker/],
      [
        'a second answer',
        (id) => Buffer.concat([frame(int32(id), int32(0)), frame(int32(id))]),
        /does not answer/,
      ],
      ['HTTP', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), /does not answer as a broker/],
      ['half of it', (id) => frame(int32(id), Buffer.alloc(90)).subarray(0, 20), /did not respond within/],
    ];
    for (const [name, raw, words] of hostile)
      for (const request of ['metadata', 'versions'] as const) {
        kafka.override(request, { raw });
        const outcome = await quick.send(to(kafka), [ping], never);
        expect(errorOf(outcome), `${name} to ${request}`).toMatch(
          request === 'versions' ? /does not|did not respond/ : words,
        );
        expect(outcome).not.toHaveProperty('permanent');
      }
    kafka.override('produce', { silent: true });
    const startedAt = performance.now();
    expect(errorOf(await quick.send(to(kafka), [ping], never))).toMatch(/did not respond within 0.7 s/);
    expect(performance.now() - startedAt).toBeGreaterThan(600);
    expect(kafka.records).toEqual([]);
  });
});

describe.each([false, true])('a broker with a login (TLS: %s)', (isTls) => {
  let kafka: Kafka;
  beforeAll(async () => {
    kafka = await startKafka({ isTls, login });
  });
  afterAll(() => kafka.stop());
  const target = (settings: Record<string, unknown> = {}) =>
    to(kafka, { ...login, tls: isTls, certificate: isTls ? kafka.certificate : undefined, ...settings });

  it.each(['SCRAM-SHA-256', 'SCRAM-SHA-512', 'PLAIN'])(
    'takes a record after %s, and refuses a wrong password',
    async (mechanism) => {
      const count = kafka.records.length;
      expect(await sender.send(target({ mechanism }), [ping], never)).toEqual({ ok: true });
      const wrong = await sender.send(target({ mechanism, password: 'kafka-other' }), [ping], never);
      expect(errorOf(wrong)).toMatch(/SASL_AUTHENTICATION_FAILED/);
      expect(JSON.stringify(wrong)).not.toMatch(/kafka-other|sécret/);
      expect(kafka.records).toHaveLength(count + 1);
      expect(kafka.faults).toEqual([]);
    },
  );

  it('has to prove that it knows the password, within bounds of work', async () => {
    const other = await startKafka({ isTls, login: { ...login, password: 'kafka-other' } });
    // A false broker lets everyone in, and can prove nothing.
    const reply = (text: string) => (correlation: number) => {
      const body = Buffer.concat([
        int32(correlation),
        Buffer.alloc(4),
        int32(text.length),
        Buffer.from(text),
      ]);
      body.writeInt16BE(-1, 6);
      return Buffer.concat([int32(body.length), body]);
    };
    const ask = (text: string) => {
      other.override('authenticate', { raw: reply(text) });
      return sender.send(
        to(other, { ...login, tls: isTls, certificate: isTls ? other.certificate : undefined }),
        [ping],
        never,
      );
    };
    expect(errorOf(await ask('r=other,s=AAAA,i=4096'))).toMatch(/does not follow SCRAM/);
    await other.stop();
    const stranger = await startKafka({
      isTls,
      login: { ...login, password: 'kafka-other' },
      knowsNothing: true,
    });
    const certificate = isTls ? stranger.certificate : undefined;
    const met = await sender.send(to(stranger, { ...login, tls: isTls, certificate }), [ping], never);
    expect(errorOf(met)).toMatch(/does not know the password/);
    expect(stranger.records).toEqual([]);
    await stranger.stop();
    for (const iterations of [1, 4095, 16_385, 999_999]) {
      const costly = await startKafka({ isTls, login, iterations });
      const outcome = await sender.send(
        to(costly, { ...login, tls: isTls, certificate: isTls ? costly.certificate : undefined }),
        [ping],
        never,
      );
      expect(errorOf(outcome)).toMatch(/iterations of SCRAM/);
      await costly.stop();
    }
  });
});

it('is refused where a certificate is signed by another authority', async () => {
  const kafka = await startKafka({ isTls: true });
  expect(errorOf(await sender.send(to(kafka, { tls: true }), [ping], never))).toMatch(
    /TLS connection failed/,
  );
  await kafka.stop();
});

describe('the settings of a topic', () => {
  let api: TestApi;
  let tenantId: number;
  beforeAll(async () => {
    api = await startTestApi();
    tenantId = (await createWorld(api)).tenant.id;
  });
  afterAll(() => api.stop());
  const good = { brokers: 'kafka.example.com', topic: 'alerts' };

  it.each([
    [{}, '/settings/brokers'],
    [{ brokers: 'kafka.example.com' }, '/settings/topic'],
    [{ ...good, topic: '..' }, '/settings/topic'],
    [{ ...good, topic: 'a b' }, '/settings/topic'],
    [{ ...good, brokers: '127.0.0.1:9092' }, '/settings/brokers'],
    [{ ...good, brokers: 'kafka.example.com:9092,10.0.0.1:9092' }, '/settings/brokers'],
    [{ ...good, brokers: 'kafka.example.com:22' }, '/settings/brokers'],
    [{ ...good, brokers: 'kafka.example.com:99999' }, '/settings/brokers'],
    [{ ...good, brokers: 'https://kafka.example.com' }, '/settings/brokers'],
    [
      { ...good, brokers: 'a.example,b.example,c.example,d.example,e.example,f.example' },
      '/settings/brokers',
    ],
    [{ ...good, certificate: 'none' }, '/settings/certificate'],
    [{ ...good, mechanism: 'GSSAPI' }, '/settings/mechanism'],
    [{ ...good, password: 'x' }, '/settings/username'],
    [{ ...good, username: 'x' }, '/settings/password'],
    [{ ...good, tls: false, mechanism: 'PLAIN', username: 'x', password: 'y' }, '/settings/mechanism'],
    [{ ...good, format: 'template' }, '/settings/template'],
  ])('are refused where they are %j', async (settings, pointer) => {
    expectProblem(await api.call('POST', 'destination', { tenantId, type: 'KAFKA', settings }), 400, pointer);
  });

  it.each([
    [
      { ...good, topic: 'a b' },
      'must consist of letters, digits, dots, underscores and hyphens, and be neither . nor ...',
    ],
    [
      { ...good, brokers: 'kafka.example.com:22' },
      /must have port 80, 443, 9092, .* or 9098, not 22; an operator can allow/,
    ],
  ])('are refused in words that say what would be right: %j', async (settings, words) => {
    const { body } = await api.call('POST', 'destination', { tenantId, type: 'KAFKA', settings });
    expect(body.errors[0].message).toMatch(words);
  });

  it('have the port and the login that are usual, and keep a password from brokers that were added later', async () => {
    const settings = {
      ...good,
      brokers: 'a.example, b.example:9094',
      username: 'vigil',
      password: 'kafka-p',
    };
    const { id, value } = await api.ok('POST', 'destination', { tenantId, type: 'KAFKA', settings });
    expect(value).toBe('kafka://a.example:9092/[sealed]');
    const read = (await api.ok('GET', `destination/${id}`)).settings;
    expect(read).toMatchObject({
      tls: true,
      mechanism: 'SCRAM-SHA-512',
      password: '[sealed]',
      format: 'standard',
    });
    await api.ok('PUT', `destination/${id}`, { settings: { ...read, brokers: 'b.example:9094' } });
    const more = { ...read, brokers: 'b.example:9094,evil.example' };
    expectProblem(await api.call('PUT', `destination/${id}`, { settings: more }), 400, '/settings/password');
  });
});
