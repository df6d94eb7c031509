import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from '../../../bench/support/seededRandom.ts';
import { acceptSocket } from './acceptSocket.ts';
import { answerRpc, createView, RpcError, type SimState } from './answerRpc.ts';
import type { SimChain } from './createSimChain.ts';
import type { Faults } from './faults.ts';

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

type Options = {
  chain: SimChain;
  faults?: Faults;
  state?: SimState;
  /** Chooses latencies and failures. */
  seed?: number;
};

type Call = { id?: unknown; method: string; params?: readonly unknown[] };
type Outcome = 'hang' | 'limited' | 'empty' | Buffer;

/** A node on loopback, HTTP and WebSocket on one port. Several may serve one chain, each with faults of its own. */
export async function startSimulator({ chain, faults: initial = {}, state = {}, seed = 1 }: Options) {
  let faults = initial;
  const calls = new Map<string, number>();
  const sockets = new Set<Socket>();
  const heads = new Map<string, (head: string) => void>();
  const random = createSeededRandom(seed);
  let requests = 0;
  let subscriptions = 0;

  /** What comes of one request, be it a call or a batch. */
  async function handle(
    body: string,
    more: (call: Call) => string | undefined = () => undefined,
  ): Promise<Outcome> {
    requests++;
    const parsed = JSON.parse(body) as Call | Call[];
    const batch = Array.isArray(parsed) ? parsed : [parsed];
    for (const { method } of batch) calls.set(method, (calls.get(method) ?? 0) + 1);
    const { methods } = faults;
    const struck: Faults = !methods || batch.some(({ method }) => methods.includes(method)) ? faults : {};
    if (struck.hang) return 'hang';
    await delay(struck.latencyMs);
    if (random.next() < (struck.rateLimit ?? 0)) return 'limited';
    if (struck.emptyReply) return 'empty';
    const pieces: Buffer[] = [];
    for (const call of batch) pieces.push(comma, ...(await reply(call, struck.errorRate ?? 0, more)));
    pieces.shift();
    const bytes = Buffer.concat(Array.isArray(parsed) ? [opening, ...pieces, closing] : pieces);
    return struck.badJson ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes;
  }

  async function delay(latencyMs: Faults['latencyMs'] = 0) {
    const ms = typeof latencyMs === 'number' ? latencyMs : pickBetween(latencyMs);
    if (ms > 0) await sleep(ms);
  }

  const pickBetween = ([from, to]: readonly [number, number]) => from + random.next() * (to - from);

  async function reply(
    call: Call,
    errorRate: number,
    more: (call: Call) => string | undefined,
  ): Promise<Buffer[]> {
    const id = JSON.stringify(call.id ?? null);
    try {
      if (random.next() < errorRate) throw new RpcError(-32603, 'internal error');
      const result =
        more(call) ?? (await answerRpc({ chain, faults, state }, call.method, call.params ?? []));
      return [
        Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`),
        typeof result === 'string' ? Buffer.from(result) : result,
        end,
      ];
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`)];
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const outcome = await handle(await readBody(request));
    if (outcome === 'hang') return;
    const status = outcome === 'limited' ? 429 : 200;
    const body = outcome === 'limited' ? 'too many requests' : outcome === 'empty' ? '' : outcome;
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  // A client must not meet a connection that is just being closed for idleness.
  server.keepAliveTimeout = 600_000;
  server.on('connection', (socket: Socket) => {
    if (faults.dead) return void socket.resetAndDestroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, stream: Socket) => {
    const mine = new Set<string>();
    const socket = acceptSocket(request, stream, {
      text: (text) => {
        handle(text, subscribe).then(
          (outcome) => {
            if (outcome === 'limited') socket.send(limited);
            else if (outcome !== 'hang') socket.send(outcome === 'empty' ? '' : outcome);
          },
          (error: Error) => stream.destroy(error),
        );
      },
      close: () => {
        for (const id of mine) heads.delete(id);
      },
    });

    function subscribe({ method, params = [] }: Call): string | undefined {
      if (method === 'eth_unsubscribe')
        return String(mine.delete(String(params[0])) && heads.delete(String(params[0])));
      if (method !== 'eth_subscribe') return undefined;
      if (params[0] !== 'newHeads')
        throw new RpcError(-32602, 'the simulator has only newHeads to subscribe to');
      subscriptions++;
      const id = `0x${subscriptions.toString(16)}`;
      mine.add(id);
      heads.set(id, (head) => {
        socket.send(
          `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${head}}}`,
        );
      });
      return JSON.stringify(id);
    }
  });

  let announced = '';
  const stopListening = chain.onHead(() => {
    const { head } = createView(chain, faults);
    if (faults.hang || head.hash === announced) return;
    announced = head.hash;
    const text = JSON.stringify(head.header);
    for (const send of heads.values()) send(text);
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: `http://${origin}`,
    wsUrl: `ws://${origin}`,
    /** How often each method was asked for, batched or not. */
    calls,
    /** HTTP requests and WebSocket messages: a batch is one. */
    get requests() {
      return requests;
    },
    /** Replaces all faults. */
    setFaults(next: Faults) {
      faults = next;
      if (faults.dead) for (const socket of sockets) socket.resetAndDestroy();
    },
    async stop() {
      stopListening();
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const [opening, comma, closing, end] = [
  Buffer.from('['),
  Buffer.from(','),
  Buffer.from(']'),
  Buffer.from('}'),
];
const limited = '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"too many requests"}}';

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
