import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptSocket } from '../../../testing/simulator/acceptSocket.ts';
import { createRpc, type RpcCall } from './createRpc.ts';
import { holdAnswer } from './holdAnswer.ts';

const head = { method: 'eth_chainId', params: [] };
const block = { method: 'eth_getBlockByNumber', params: ['0x1', true] };
const reply = (result: string) => `{"jsonrpc":"2.0","id":0,"result":${result}}`;
const ping = Buffer.from([0x89, 0]);
const continued = Buffer.from([0x01, 1, 0x61]);
const declared = Buffer.from([0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0]);

describe('an endpoint that sends nonsense', () => {
  let server: Server;
  let host = '';
  let redirected = 0;

  const bodies: Record<string, string | Buffer> = {
    '/long': reply(`"${'a'.repeat(70_000)}"`),
    '/deep': reply('['.repeat(20_000) + ']'.repeat(20_000)),
    '/many': reply(`[${'0,'.repeat(10_000)}0]`),
    '/list': reply(`[${'"0x0123456789",'.repeat(200_000)}"end"]`),
    '/text': 'no JSON',
    '/scalar': '7',
    '/neither': '{"jsonrpc":"2.0","id":0}',
    '/message': `{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"${'method '.repeat(9000)}"}}`,
  };

  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      if (url === '/moved') response.writeHead(302, { location: '/target' }).end();
      else if (url === '/target') redirected++;
      else if (url === '/bomb')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, ' ')));
      else if (url === '/packed') response.writeHead(200, { 'content-encoding': 'br' }).end('x');
      else if (url === '/headers')
        response.socket?.write(`HTTP/1.1 200 OK\r\n${'x-y: z\r\n'.repeat(100_000)}`);
      else if (url === '/endless') response.write('[');
      else response.end(bodies[url]);
    });
    server.on('upgrade', (request: IncomingMessage, stream: Duplex) => {
      const { url = '' } = request;
      stream.on('error', () => {});
      const socket = acceptSocket(request, stream, {
        text() {
          if (url === '/pings') stream.write(Buffer.concat(Array.from({ length: 20_000 }, () => ping)));
          else if (url === '/parts')
            stream.write(Buffer.concat(Array.from({ length: 20_000 }, () => continued)));
          else if (url === '/declared') stream.write(declared);
          else if (url === '/unasked') for (let n = 0; n < 200; n++) socket.send('{"id":123456}');
          else socket.send(bodies[url] ?? '');
        },
        close: () => {},
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function ask(address: string, call: RpcCall = head, timeoutMs = 20_000) {
    const rpc = createRpc(address);
    try {
      return await rpc.batch([call], timeoutMs);
    } finally {
      await rpc.close();
    }
  }

  it.each(['http', 'ws'])('is reported by what is wrong, over %s', async (protocol) => {
    for (const [path, fault] of [
      ['/long', 'its answer is too large'],
      ['/deep', 'its answer is nested too deeply'],
      ['/many', 'its answer has too many values'],
      ['/text', 'its answer is not JSON'],
    ] as const)
      await expect(ask(`${protocol}://${host}${path}`), path).rejects.toThrow(fault);
  });

  it('an endpoint over HTTP may neither redirect, nor answer with endless headers, nor unpack without end, nor take its time', async () => {
    for (const [path, fault] of [
      ['/moved', 'it answered with status 302'],
      ['/bomb', 'its answer is too large'],
      ['/packed', 'its answer is packed as br, which was not asked for'],
      ['/headers', 'its headers are too long'],
      ['/scalar', 'a reply is not a record'],
      ['/neither', 'a reply has neither result nor error'],
    ] as const)
      await expect(ask(`http://${host}${path}`), path).rejects.toThrow(fault);
    await expect(ask(`http://${host}/endless`, head, 200)).rejects.toThrow('it did not answer within 200 ms');
    expect(redirected).toBe(0);
  });

  it('an endpoint over WebSocket may neither flood with frames, nor announce more than it may send, nor send what was not asked for', async () => {
    for (const [path, fault] of [
      ['/pings', 'it sends more than 5000 messages a second'],
      ['/parts', 'it breaks the protocol of WebSockets'],
      ['/declared', 'its answer is too large'],
      ['/unasked', 'it sends what was not asked for'],
    ] as const)
      await expect(ask(`ws://${host}${path}`), path).rejects.toThrow(fault);
  });

  it.each(['http', 'ws'])('is read as ever where its answer is only large, over %s', async (protocol) => {
    const [answer] = await ask(`${protocol}://${host}/list`, block);
    expect(answer).toMatchObject({ result: { length: 200_001 } });
  });

  it('is quoted briefly', async () => {
    const [answer] = await ask(`http://${host}/message`);
    expect(answer).toMatchObject({ error: { message: 'method '.repeat(9000).slice(0, 2000) } });
  });
});

it('drops the largest answer of the endpoint that sent most, when all together take up too much', () => {
  const dropped: string[] = [];
  const hold = (owner: string, name: string) => holdAnswer(owner, () => dropped.push(name));
  const mebibyte = 1024 * 1024;
  const [small, first, second, other] = [
    hold('a', 'small'),
    hold('b', 'first'),
    hold('b', 'second'),
    hold('c', 'other'),
  ];
  other.add(70 * mebibyte);
  first.add(40 * mebibyte);
  second.add(60 * mebibyte);
  expect(dropped).toEqual([]);
  small.add(30 * mebibyte);
  expect(dropped).toEqual(['second']);
  for (const each of [small, first, second, other]) each.release();
  hold('d', 'alone').add(150 * mebibyte);
  expect(dropped).toEqual(['second']);
});
