import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptSocket } from '../../../testing/simulator/acceptSocket.ts';
import { chains } from '../chains.ts';
import { createRpc } from '../net/createRpc.ts';
import { endpointFault, probeEndpoint, solanaProtocol } from './solanaProtocol.ts';

describe('an endpoint of Solana', () => {
  const answers: Record<string, string> = {
    '/whole': '{"jsonrpc":"2.0","id":0,"result":9007199254740993}',
    '/huge': ' '.repeat(2_000_000),
  };
  const asked: (string | undefined)[] = [];
  let server: Server;
  let host = '';

  beforeAll(async () => {
    server = createServer(({ headers, url = '' }, response) => {
      asked.push(headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(url === '/torn' ? Buffer.from('torn') : gzipSync(answers[url] ?? ''));
    });
    server.on('upgrade', (request: IncomingMessage, stream: Duplex) => {
      const socket = acceptSocket(request, stream, {
        text() {
          const { url } = request;
          const reply = url === '/refusing' ? { error: { message: 'Method not found' } } : { result: 1 };
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...reply }));
          if (url !== '/announcing') return;
          const params = { result: { parent: 41, root: 9, slot: 42 }, subscription: 1 };
          socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'slotNotification', params }));
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

  const call = { method: 'getSlot', params: [] };

  it('sends its answers packed, to the last digit', async () => {
    const rpc = solanaProtocol(chains.solana).connect!(`http://${host}/whole`);
    expect(await rpc.batch([call], 5000)).toEqual([{ result: '9007199254740993' }]);
    expect(asked).toEqual(['gzip']);
    await rpc.close();
  });

  it('is not believed when an answer unpacks to more than the limit, or not at all', async () => {
    const ask = async (path: string) => {
      const rpc = createRpc(`http://${host}${path}`, { isZipped: true });
      await rpc.batch([call], 5000).finally(() => void rpc.close());
    };
    await expect(ask('/huge')).rejects.toThrow('its answer is too large');
    await expect(ask('/torn')).rejects.toThrow('its answer cannot be unpacked');
  });

  it('an endpoint of Solana that announces slots is checked by its announcements', async () => {
    expect(await probeEndpoint(`ws://${host}/announcing`, chains.solana)).toMatchObject({
      fault: null,
      head: 41,
    });
    expect(await probeEndpoint(`ws://${host}/resting`, chains.solana)).toMatchObject({
      fault: null,
      head: null,
    });
    expect(await endpointFault(`ws://${host}/refusing`, chains.solana)).toBe(
      'it does not announce new blocks: Method not found',
    );
    expect(await endpointFault('ws://127.0.0.1:1/', chains.solana)).toBe('the connection failed');
  });
});
