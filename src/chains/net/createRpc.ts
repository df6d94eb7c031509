import { isAscii } from 'node:buffer';
import { Agent, Pool, WebSocket } from 'undici';
import { isRecord } from '../../lib/isRecord.ts';
import { createRedact, maskOrigin } from '../../lib/maskEndpoint.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';

export type RpcCall = { method: string; params: readonly unknown[] };
export type RpcReply = { result: unknown } | { error: RpcError };
export type RpcError = { code: number; message: string; data?: unknown };

/** One endpoint of a node. */
export type Rpc = {
  /** Without path and query, which often hold an access key. */
  readonly name: string;
  /** Sends all calls in one request; the replies stand in the order of the calls. */
  batch(calls: readonly RpcCall[], timeoutMs: number): Promise<RpcReply[]>;
  close(): Promise<void>;
};

/** What an endpoint did instead of answering. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
}

/** Blocks of fast chains with all their logs have some tens of megabytes. */
const maxAnswerBytes = 256 * 1024 * 1024;

export function createRpc(url: string, maxBytes = maxAnswerBytes): Rpc {
  return url.startsWith('ws') ? createSocketRpc(url, maxBytes) : createHttpRpc(url, maxBytes);
}

function createHttpRpc(url: string, maxBytes: number): Rpc {
  const { origin, pathname, search, username, password } = new URL(url);
  const redact = createRedact(url);
  const pool = new Pool(origin, {
    connections: 16,
    keepAliveTimeout: 30_000,
    connectTimeout: 3000,
    maxResponseSize: maxBytes,
  });
  // A server that knows no batches answers one with a single record; from then on it gets one call at a time.
  let takesBatches = true;
  const headers = {
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    ...(username
      ? {
          authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
        }
      : {}),
  };
  return {
    name: maskOrigin(url),
    async batch(calls, timeoutMs) {
      if (takesBatches && calls.length > 1) {
        const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
        const answer = parse(await post(body, timeoutMs));
        if (Array.isArray(answer)) return inOrder(answer, calls.length, redact);
      }
      const replies = await Promise.all(calls.map((call) => single(call, timeoutMs)));
      // A single error in place of a batch may also be about something else, such as a rate limit.
      if (calls.length > 1 && replies.some((reply) => 'result' in reply)) takesBatches = false;
      return replies;
    },
    close: () => pool.destroy(),
  };

  async function single(call: RpcCall, timeoutMs: number): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, ...call });
    return toReply(parse(await post(body, timeoutMs)), redact);
  }

  async function post(body: string, timeoutMs: number): Promise<string> {
    try {
      const response = await pool.request({
        method: 'POST',
        path: pathname + search,
        headers,
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.statusCode !== 200) {
        await response.body.dump();
        throw new RpcFailure(`it answered with status ${response.statusCode}`);
      }
      return toText(Buffer.from(await response.body.arrayBuffer()));
    } catch (error) {
      throw error instanceof RpcFailure ? error : new RpcFailure(reason(error, timeoutMs), { cause: error });
    }
  }
}

/** The same over a WebSocket, which is opened on first use and again after it broke. */
function createSocketRpc(url: string, maxBytes: number): Rpc {
  const redact = createRedact(url);
  const agent = new Agent({ webSocket: { maxPayloadSize: maxBytes } });
  const waiting = new Map<number, (reply: unknown) => void>();
  let current: WebSocket | undefined;
  let opening: Promise<WebSocket> | undefined;
  let nextId = 0;
  let receivedAt = 0;

  function fail(reason: string): void {
    for (const settle of waiting.values()) settle(new RpcFailure(reason));
    waiting.clear();
  }

  function open(): Promise<WebSocket> {
    opening ??= new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { dispatcher: agent });
      current = socket;
      const closed = () => {
        reject(new RpcFailure('the connection was closed'));
        drop(socket, 'the connection was closed');
      };
      socket.addEventListener('open', () => resolve(socket));
      socket.addEventListener('error', closed);
      socket.addEventListener('close', closed);
      socket.addEventListener('message', ({ data }) => {
        receivedAt = performance.now();
        const message = tryParse(String(data));
        // Nothing says which request it answers, so all of them fail.
        if (message === undefined) drop(socket, 'its answer is not JSON');
        for (const reply of Array.isArray(message) ? message : [message]) settle(reply);
      });
    });
    return opening;
  }

  function drop(socket: WebSocket, reason: string): void {
    // Both error and close fire, and by the second event another connection may be open.
    if (current !== socket) return;
    current = undefined;
    opening = undefined;
    fail(reason);
    socket.close();
  }

  function settle(reply: unknown): void {
    if (!isRecord(reply)) return;
    if (reply.id === null && isRecord(reply.error))
      fail(`it refused a request: ${redact(String(reply.error.message))}`);
    if (typeof reply.id !== 'number') return;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  }

  return {
    name: maskOrigin(url),
    async batch(calls, timeoutMs) {
      const socket = await within(open(), timeoutMs);
      const first = nextId;
      nextId += calls.length;
      const ids = calls.map((_, place) => first + place);
      const replies = Promise.all(
        ids.map((id) => new Promise<unknown>((resolve) => waiting.set(id, resolve))),
      );
      const sentAt = performance.now();
      socket.send(JSON.stringify(calls.map((call, place) => ({ jsonrpc: '2.0', id: ids[place], ...call }))));
      const answers = await within(replies, timeoutMs).catch((error: unknown) => {
        for (const id of ids) waiting.delete(id);
        // A connection on which nothing came meanwhile may be dead without being closed.
        if (receivedAt < sentAt) drop(socket, 'it fell silent');
        throw error;
      });
      return answers.map((answer) => toReply(answer, redact));
    },
    async close() {
      current?.close();
      await agent.destroy();
    },
  };
}

function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return settleWithin(timeoutMs, work, () => {
    throw new RpcFailure(`it did not answer within ${timeoutMs} ms`);
  });
}

function parse(text: string): unknown {
  const parsed = tryParse(text);
  if (parsed === undefined) throw new RpcFailure('its answer is not JSON');
  return parsed;
}

/** Answers are plain ASCII nearly always, which is read several times as fast. */
function toText(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A server may answer a batch in any order. */
function inOrder(answer: readonly unknown[], count: number, redact: Redact): RpcReply[] {
  const replies = Array.from<RpcReply | undefined>({ length: count });
  for (const item of answer)
    if (isRecord(item) && typeof item.id === 'number') replies[item.id] = toReply(item, redact);
  return Array.from(replies, (reply) => {
    if (!reply) throw new RpcFailure('a reply is missing from its answer');
    return reply;
  });
}

type Redact = ReturnType<typeof createRedact>;

function toReply(item: unknown, redact: Redact): RpcReply {
  if (item instanceof RpcFailure) throw item;
  if (!isRecord(item)) throw new RpcFailure('a reply is not a record');
  if (isRecord(item.error)) {
    const { code, message, data } = item.error;
    return { error: { code: Number(code), message: redact(String(message)), data } };
  }
  if (item.result === undefined) throw new RpcFailure('a reply has neither result nor error');
  return { result: item.result };
}

function reason(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not answer within ${timeoutMs} ms`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'its answer is too large';
  return code ? `the connection failed (${code})` : 'the connection failed';
}
