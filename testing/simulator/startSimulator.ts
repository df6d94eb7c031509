import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from '../seededRandom.ts';
import { acceptSocket } from './acceptSocket.ts';
import type { Mempool } from './createMempool.ts';
import type { SimChain } from './createSimChain.ts';
import type { Faults } from './faults.ts';
import { createView, handleRpc, type SimState } from './handleRpc.ts';
import { RpcError, toText } from './rpcError.ts';
import { type Loss, lossAfter, lossBefore, type Strike } from './strikes.ts';

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

type Options = {
  chain: SimChain;
  faults?: Faults;
  state?: SimState;
  /** Takes transactions; several servers of one chain share it. */
  mempool?: Mempool;
  /** Calls back with pending transactions as JSON, until the returned function is called; they are announced with bodies. */
  announce?: (listener: (body: string) => void) => () => void;
  /** Chooses latencies and failures. */
  seed?: number;
};

type Call = { id?: unknown; method: string; params?: readonly unknown[] };
/** Over a WebSocket every answer is sent, over HTTP the last one. */
type Outcome = Loss | 'empty' | Buffer[];

/** A node on loopback, HTTP and WebSocket on one port. Several may serve one chain, each with faults of its own. */
export async function startSimulator(options: Options) {
  const { chain, state = {}, mempool, announce, seed = 1 } = options;
  let faults = options.faults ?? {};
  const calls = new Map<string, number>();
  const sockets = new Set<Socket>();
  const heads = new Map<string, (head: string) => void>();
  const random = createSeededRandom(seed);
  const held = new Map<string, () => void>();
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
    const strike = count(batch);
    const { methods } = faults;
    const struck: Faults = !methods || batch.some(({ method }) => methods.includes(method)) ? faults : {};
    const loss = struck.hang ? 'hang' : lossBefore.get(strike);
    if (loss) return lose(batch, loss);
    await delay(struck.latencyMs);
    if (random.next() < (struck.rateLimit ?? 0)) return lose(batch, 429);
    if (struck.emptyReply) return lose(batch, 'empty');
    const [{ method } = { method: '' }] = batch;
    if (strike === 'overtaken') await nextOf(method);
    if (typeof strike === 'object' && 'delayMs' in strike) await sleep(strike.delayMs);
    const answers: Buffer[] = [];
    for (let time = 0; time < (strike === 'repeat' ? 2 : 1); time++) {
      const pieces: Buffer[] = [];
      for (const call of strike === 'reverse' ? batch.toReversed() : batch)
        pieces.push(comma, ...(await reply(call, struck.errorRate ?? 0, more)));
      pieces.shift();
      const bytes = Buffer.concat(Array.isArray(parsed) ? [opening, ...pieces, closing] : pieces);
      answers.push(struck.badJson ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes);
    }
    if (strike !== 'overtaken') held.get(method)?.();
    if (typeof strike === 'object' && 'lateMs' in strike) await sleep(strike.lateMs);
    return lossAfter.get(strike) ?? answers;
  }

  function count(batch: readonly Call[]): Strike | undefined {
    const strikes = batch.map(({ method }) => {
      const nth = (calls.get(method) ?? 0) + 1;
      calls.set(method, nth);
      return faults.strikes?.(method, nth);
    });
    return strikes.find((strike) => strike !== undefined);
  }

  /** A transaction that never arrived was signed all the same. */
  function lose<T>(batch: readonly Call[], outcome: T): T {
    for (const { method, params } of batch)
      if (method === 'eth_sendRawTransaction') mempool?.noteLost(toText(params?.[0]));
    return outcome;
  }

  const nextOf = (method: string) =>
    new Promise<void>((resolve) => {
      held.set(method, resolve);
      setTimeout(resolve, 500);
    });

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
      if (random.next() < errorRate) throw lose([call], new RpcError(-32603, 'internal error'));
      const result =
        more(call) ?? (await handleRpc({ chain, faults, state, mempool }, call.method, call.params ?? []));
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
    if (outcome === 'reset') return void request.socket.resetAndDestroy();
    const status = typeof outcome === 'number' ? outcome : 200;
    const body = Array.isArray(outcome) ? outcome.at(-1)! : outcome === 'empty' ? '' : STATUS_CODES[outcome]!;
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
    const announced: (() => void)[] = [];
    const socket = acceptSocket(request, stream, {
      text: (text) => {
        handle(text, subscribe).then(
          (outcome) => {
            if (outcome === 'reset') stream.resetAndDestroy();
            else if (typeof outcome === 'number') socket.send(toRefusal(outcome));
            else if (outcome !== 'hang')
              for (const answer of outcome === 'empty' ? [''] : outcome) socket.send(answer);
          },
          (error: Error) => stream.destroy(error),
        );
      },
      close: () => {
        for (const id of mine) heads.delete(id);
        for (const end of announced) end();
      },
    });

    function subscribe({ method, params = [] }: Call): string | undefined {
      if (method === 'eth_unsubscribe')
        return String(mine.delete(String(params[0])) && heads.delete(String(params[0])));
      if (method !== 'eth_subscribe') return undefined;
      subscriptions++;
      const id = `0x${subscriptions.toString(16)}`;
      const tell = (result: string) => {
        socket.send(
          `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`,
        );
      };
      if (params[0] === 'newPendingTransactions' && announce) announced.push(announce(tell));
      else if (params[0] !== 'newHeads')
        throw new RpcError(-32602, 'the simulator has only newHeads to subscribe to');
      else {
        mine.add(id);
        heads.set(id, tell);
      }
      return JSON.stringify(id);
    }
  });

  let announced = '';
  const stopListening = chain.onHead(() => {
    const { head } = createView(chain, faults);
    if (faults.hang || faults.silent || head.hash === announced) return;
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
/** What a WebSocket has in place of a status. */
const toRefusal = (status: number): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: status === 429 ? -32005 : -32603, message: STATUS_CODES[status]?.toLowerCase() },
  });

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
