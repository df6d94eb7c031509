import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DestinationType, destinationKinds } from '../../src/destinations/destinationKinds.ts';
import type { Resolve } from '../../src/lib/createResolve.ts';
import { toEgress } from '../../src/lib/egress.ts';
import { sql } from '../../src/lib/sql.ts';
import { createRequestSender } from '../../src/notify/createRequestSender.ts';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { until } from '../../testing/until.ts';
import { forAll } from '../api/support/forAll.ts';
import { sampleDestinations } from '../support/sampleDestinations.ts';
import { type HttpSink, startHttpSink } from './support/httpSink.ts';
import { alertMessage, targetOf } from './support/messages.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

/** Loopback is private here but for one address that stands for the public internet. */
const publicAddress = '127.0.0.2';
const refusal = /^The (address must|address leads to a private|name of the receiver resolves to a private)/;
let world: NotifyWorld;
let outside: HttpSink;
const asked: string[] = [];
/** What each name leads to, the first time and every time after. */
const names: Record<string, [string[], string[]]> = {
  'rebind.example': [[publicAddress], ['127.0.0.1']],
  'both.example': [
    [publicAddress, '127.0.0.1'],
    [publicAddress, '127.0.0.1'],
  ],
  'public.example': [[publicAddress], [publicAddress]],
};
const privateAnswers = [
  '127.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  'fe80::1',
  'fd00::1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::1',
  '::',
  'ff02::1',
  '224.0.0.1',
  '255.255.255.255',
];
for (const [index, address] of privateAnswers.entries())
  names[`private-${index}.example`] = [[address], [address]];
/** Names of the inside may be given where an operator allows a network; where they lead is looked at all the same. */
for (const [name, address] of [
  ['private.printer.local', '192.168.0.1'],
  ['private.db.internal', '10.0.0.1'],
  ['private.metadata.google.internal', '169.254.169.254'],
] as const)
  names[name] = [[address], [address]];

const resolve: Resolve = (hostname, _options, callback) => {
  const isFirst = !asked.includes(hostname);
  asked.push(hostname);
  const addresses = names[hostname]?.[isFirst ? 0 : 1];
  if (!addresses) return callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);
  callback(
    null,
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
};

function allowed() {
  const networks = new BlockList();
  networks.addAddress(publicAddress, 'ipv4');
  return toEgress(networks);
}

beforeAll(async () => {
  outside = await startHttpSink(publicAddress);
  world = await startNotifyWorld({ resolve, egress: allowed(), timeLimitMs: 1000 });
  // More than a plan allows, because every address gets one.
  await world.store.query(sql`update plan set max_destinations = 10000`);
  world.work();
});
afterAll(async () => {
  await world.stop();
  await outside.close();
});

const port = () => new URL(world.sink.url).port;
const outsidePort = () => new URL(outside.url).port;

/** Every way to write an address that must not be reached; PORT is the receiver's on loopback. */
const hosts = `
  127.0.0.1 127.0.0.3 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 0177.0.0.1 017700000001 0177.1 127.0.0.1.
  127.000.000.001 １２７.０.０.１ 127。0。0。1 %31%32%37.0.0.1 0 0.0.0.0 0x0 00 10.0.0.1 10.255.255.255 0x0a000001
  167772161 012.0.0.1 10.1 172.16.0.1 172.31.255.255 2886729729 0xac100001 192.168.0.1 192.168.1 3232235521 0xc0a80001
  0300.0250.0.1 169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 100.64.0.1 100.127.255.255
  192.0.0.1 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 [::1] [::] [0:0:0:0:0:0:0:1] [::0001] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]
  [::ffff:0:127.0.0.1] [0:0:0:0:0:ffff:7f00:0001] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [64:ff9b::127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b:1::1] [2002:7f00:1::] [2002:c0a8:1::1] [2001::1] [2001:0:53aa:64c:0:0:80ff:fffe]
  [2001:db8::1] [3fff::1] [fe80::1] [febf::1] [fc00::1] [fd12:3456:789a::1] [fec0::1] [ff02::1] [100::1] [5f00::1]
  localhost LOCALHOST localhost. a.localhost localhost.localdomain db.localdomain b.a.LOCALHOST. 127.255.255.254 ⓛocalhost loca%6chost lo\u00adcalhost`;
const addresses = [
  ...hosts
    .trim()
    .split(/\s+/)
    .map((host) => `http://${host}:PORT/hostile`),
  'file:///etc/passwd',
  'ftp://example.com/',
  'gopher://127.0.0.1:PORT/',
  'javascript:alert(1)',
  'data:text/plain,hello',
  'blob:http://127.0.0.1:PORT/',
  'mailto:a@example.com',
  'ws://example.com/',
  'unix:/var/run/docker.sock',
  '//example.com/',
  'example.com',
  'http://',
  'http:///',
  'http://[::1',
  'http://256.256.256.256/',
  'https://?',
  '',
  ' ',
  'http://user@example.com/',
  'http://user:pass@example.com/',
  'http://example.com@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT\\@example.com/',
  'http:127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'HTTP://127.0.0.1:PORT/',
  'http://127.0.0.1:PORT#@example.com/',
  'http://\t127.0.0.1:PORT/',
  'http://127.0.0.1\n:PORT/',
  'https://[::1]:PORT/?a=http://example.com',
];

/** One destination of each kind that takes requests at an address in a setting, and the name of that setting. */
const addressed = sampleDestinations.flatMap((body) => {
  const { address, transport } = destinationKinds[body.type as DestinationType];
  return address.type === 'settings' &&
    transport === 'request' &&
    URL.canParse(body.settings?.[address.named])
    ? [{ body, named: address.named, type: body.type as DestinationType }]
    : [];
});

const withSetting = ({ body, named }: (typeof addressed)[number], uri: string) => ({
  ...body,
  tenantId: world.tenantId,
  settings: { ...body.settings, [named]: uri },
});

describe('an address that leads inwards', () => {
  it('is one of more than 120 here', () => {
    expect(new Set(addresses).size).toBeGreaterThanOrEqual(120);
  });

  it('is refused when a destination or a probe is created and when one is changed', async () => {
    const { id } = await world.addDestination('/', { uri: `${outside.url}/good` });
    const chat = await world.ok('POST', 'destination', {
      tenantId: world.tenantId,
      type: 'MESSENGER_B',
      messengerBUri: `${outside.url}/chat`,
    });
    await publishDetectors(world.store, Date.now());
    const probe = { contractId: world.contractId, schemaName: 'http_probe', name: 'Probe' };
    const good = { ...probe, config: { url: `${outside.url}/good` } };
    const { id: probeId } = await world.ok('POST', 'detector', good);
    await forAll(addresses, async (address) => {
      const uri = address.replace('PORT', port());
      for (const [method, path, body] of [
        ['POST', 'destination', { tenantId: world.tenantId, type: 'HTTP', uri }],
        ['POST', 'destination', { tenantId: world.tenantId, type: 'MESSENGER_B', value: uri }],
        ['PUT', `destination/${id}`, { uri }],
        ['PUT', `destination/${chat.id}`, { messengerBUri: uri }],
        ['POST', 'destination', withSetting(addressed[addresses.indexOf(address) % addressed.length]!, uri)],
        ['POST', 'detector', { ...probe, config: { url: uri } }],
        ['PUT', `detector/${probeId}`, { config: { url: uri } }],
      ] as const) {
        const answer = await world.call(method, path, body);
        expect([answer.status, answer.body.code], `${method} ${path} ${JSON.stringify(uri)}`).toEqual([
          400,
          'invalid-input',
        ]);
      }
    });
    expect(world.sink.connections()).toBe(0);
  });

  it('is refused at the moment of sending, were it to get into the store, and so is every name that leads inwards', async () => {
    const ids: number[] = [];
    const all = [
      ...addresses,
      ...Object.keys(names)
        .filter((name) => name.startsWith('private'))
        .map((name) => `http://${name}:PORT/`),
      'http://both.example:PORT/',
    ];
    await forAll(all, async (address) => {
      const { id } = await world.addDestination('/', { uri: `${outside.url}/good` });
      const uri = address.replace('PORT', port());
      await world.store.query(sql`update destination set uri = ${uri}, value = ${uri} where id = ${id}`);
      ids.push(id);
    });
    for (let n = 0; n < ids.length; n += 100) {
      await world.bind(...ids.slice(n, n + 100));
      await world.push({});
    }
    const errors = await until(async () => {
      const rows = await world.store.query<{ uri: string; error: string }>(
        sql`select x.uri, d.last_error as error from delivery d join destination x on x.id = d.destination_id where d.attempts > 0 and d.destination_id = any(${ids})`,
      );
      return rows.length === ids.length ? rows : undefined;
    });
    for (const { uri, error } of errors) expect(error, uri).toMatch(refusal);
    expect(world.sink.connections()).toBe(0);
    expect(outside.received).toEqual([]);
  });

  it.each(addressed)(
    'is refused at the moment of sending to $type, were it to get into the store',
    async (kind) => {
      const { body, named, type } = kind;
      const sender = createRequestSender({ egress: allowed(), now: Date.now, resolve, timeLimitMs: 1000 });
      const { settings } = body;
      await forAll(
        [...addresses, 'http://private-0.example:PORT/', 'http://both.example:PORT/'],
        async (address) => {
          const target = targetOf({
            type,
            settings: { ...settings, [named]: address.replace('PORT', port()) },
          });
          const outcome = await sender.send(target, [alertMessage('d-1')], new AbortController().signal);
          expect(outcome.ok ? '' : outcome.error, address).toMatch(refusal);
        },
      );
      await sender.close();
      expect(world.sink.connections()).toBe(0);
    },
  );

  it('is not reached by a name that leads elsewhere the second time, nor by a redirect', async () => {
    const close = { status: 200, headers: { connection: 'close' } };
    outside.script('/rebind', [close, close]);
    const away = { location: `${world.sink.url}/inside`, connection: 'close' };
    outside.script('/away', () => ({ status: 307, headers: away }));
    const rebind = await world.addDestination('/', { uri: `http://rebind.example:${outsidePort()}/rebind` });
    const first = await world.ok('POST', `destination/${rebind.id}/test`);
    expect(first).toMatchObject({ delivered: true, status: 200 });
    const second = await world.ok('POST', `destination/${rebind.id}/test`);
    expect(second).toMatchObject({
      delivered: false,
      error: 'The name of the receiver resolves to a private or reserved network.',
    });
    const moved = await world.addDestination('/', { uri: `http://public.example:${outsidePort()}/away` });
    expect(await world.ok('POST', `destination/${moved.id}/test`)).toMatchObject({
      delivered: false,
      status: 307,
    });
    expect(world.sink.connections()).toBe(0);
  });
});

describe('a header', () => {
  it('a header that would split the request, belongs to the connection or forges the signature is refused', async () => {
    for (const headers of [
      { 'X-A': 'a\r\nHost: evil' },
      { 'X-A': 'a\nb' },
      { 'X-A': '\u0000' },
      { 'X-A': 'ü' },
      { 'X A': 'a' },
      { 'X-A\r\nHost': 'evil' },
      { '': 'a' },
      { Host: 'evil' },
      { 'content-LENGTH': '0' },
      { 'Transfer-Encoding': 'chunked' },
      { Connection: 'close' },
      { 'Keep-Alive': '1' },
      { TE: 'trailers' },
      { Upgrade: 'h2c' },
      { 'Proxy-Authorization': 'x' },
      { Expect: '100-continue' },
      { 'webhook-id': 'x' },
      { 'Webhook-Signature': 'v1,x' },
    ]) {
      const answer = await world.call('POST', 'destination', {
        tenantId: world.tenantId,
        type: 'HTTP',
        uri: `${outside.url}/headers`,
        headers,
      });
      expect([answer.status, answer.body.code], JSON.stringify(headers)).toEqual([400, 'invalid-input']);
    }
  });
});
