import { Agent, WebSocket } from 'undici';
import { createJsonReader, InvalidJson } from '../../lib/createJsonReader.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { createRedact, maskOrigin } from '../../lib/maskEndpoint.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import { createHttp, maxAnswerBytes } from './createHttp.ts';
import { RpcFailure } from './rpcFailure.ts';

export { RpcFailure } from './rpcFailure.ts';

export type RpcCall = { method: string; params: readonly unknown[] | Readonly<Record<string, unknown>> };
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

type Reading = {
  /**
   * Answers may be so large that reading one at once would hold the event loop: each is read in pieces, without the members of
   * these names.
   */
  skipped?: ReadonlySet<string>;
  /** Reads all others; throws for what is no JSON. */
  parseJson?: ParseJson;
  /** Answers are asked for as they travel fastest over a slow line. */
  isZipped?: boolean;
};

export function createRpc(url: string, maxBytes = maxAnswerBytes, reading: Reading = {}): Rpc {
  return url.startsWith('ws')
    ? createSocketRpc(url, maxBytes, reading)
    : createHttpRpc(url, maxBytes, reading);
}

type ParseJson = (text: string) => unknown;

function createHttpRpc(
  url: string,
  maxBytes: number,
  { skipped, parseJson = JSON.parse, isZipped = false }: Reading,
): Rpc {
  const http = createHttp(url, maxBytes, isZipped ? 'gzip' : 'identity');
  const { redact } = http;
  // A server that knows no batches answers one with a single record; from then on it gets one call at a time.
  let takesBatches = true;
  return {
    name: http.name,
    async batch(calls, timeoutMs) {
      if (takesBatches && calls.length > 1) {
        const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
        const answer = parse(await post(body, timeoutMs), parseJson);
        if (Array.isArray(answer)) return inOrder(answer, calls.length, redact);
      }
      const replies = await Promise.all(calls.map((call) => single(call, timeoutMs)));
      // A single error in place of a batch may also be about something else, such as a rate limit.
      if (calls.length > 1 && replies.some((reply) => 'result' in reply)) takesBatches = false;
      return replies;
    },
    close: http.close,
  };

  async function single(call: RpcCall, timeoutMs: number): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, ...call });
    return toReply(
      skipped ? await read(body, timeoutMs) : parse(await post(body, timeoutMs), parseJson),
      redact,
    );
  }

  async function read(body: string, timeoutMs: number): Promise<unknown> {
    const reader = createJsonReader(skipped);
    let status = 200;
    const answer = await orNotJson(async () => {
      ({ status } = await http.read(body, timeoutMs, reader.write));
      return status === 200 ? reader.end() : undefined;
    });
    if (status !== 200) throw new RpcFailure(`it answered with status ${status}`);
    return answer;
  }

  async function post(body: string, timeoutMs: number): Promise<string> {
    const { status, text } = await http.request('POST', '', body, timeoutMs);
    if (status !== 200) throw new RpcFailure(`it answered with status ${status}`);
    return text;
  }
}

/** The same over a WebSocket, which is opened on first use and again after it broke. */
function createSocketRpc(url: string, maxBytes: number, { skipped, parseJson = JSON.parse }: Reading): Rpc {
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
        const received = (message: unknown) => {
          // Nothing says which request it answers, so all of them fail.
          if (message === undefined) drop(socket, 'its answer is not JSON');
          for (const reply of Array.isArray(message) ? message : [message]) settle(reply);
        };
        if (skipped) readPieces(Buffer.from(String(data)), skipped).then(received, () => received(undefined));
        else received(tryParse(String(data), parseJson));
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

const pieceBytes = 65_536;

async function readPieces(bytes: Buffer, skipped: ReadonlySet<string>): Promise<unknown> {
  const reader = createJsonReader(skipped);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    reader.write(bytes.subarray(at, at + pieceBytes));
    await yieldToEventLoop();
  }
  return reader.end();
}

async function orNotJson<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof InvalidJson) throw new RpcFailure('its answer is not JSON', { cause });
    throw cause;
  }
}

function parse(text: string, parseJson: ParseJson): unknown {
  const parsed = tryParse(text, parseJson);
  if (parsed === undefined) throw new RpcFailure('its answer is not JSON');
  return parsed;
}

function tryParse(text: string, parseJson: ParseJson): unknown {
  try {
    return parseJson(text);
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
