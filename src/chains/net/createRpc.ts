import type { PieceReading } from '../../lib/createJsonReader.ts';
import { cutText } from '../../lib/cutText.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { createRedact, maskOrigin } from '../../lib/maskEndpoint.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import { type AnswerLimits, limitsOf } from './answerLimits.ts';
import { createHttp, longBytes } from './createHttp.ts';
import { type NodeSocket, openSocket } from './openSocket.ts';
import { pauseAfterNonsense } from './pauseAfterNonsense.ts';
import { type ParseJson, type Receiver, receiveJson, receivePieces, receiveText } from './receivers.ts';
import type { Rpc, RpcCall, RpcReply } from './rpc.ts';
import { Nonsense, RpcFailure } from './rpcFailure.ts';

export type { Rpc, RpcCall, RpcError, RpcReply } from './rpc.ts';
export { RpcFailure } from './rpcFailure.ts';

type Reading = {
  /** Answers are read while they come, without what is passed over and cut off. */
  pieces?: PieceReading;
  /** Limits of answers over HTTP, where they differ from those of their kind. */
  limits?: (calls: readonly RpcCall[]) => AnswerLimits;
  /** Reads all others; throws for what is no JSON. */
  parseJson?: ParseJson;
  /** Answers are asked for as they travel fastest over a slow line. */
  isZipped?: boolean;
};

export function createRpc(url: string, reading: Reading = {}): Rpc {
  return pauseAfterNonsense(
    url.startsWith('ws') ? createSocketRpc(url, reading) : createHttpRpc(url, reading),
  );
}

type OneRpc = Omit<Rpc, 'blame'>;

function receiverOf(url: string, limits: AnswerLimits, { pieces, parseJson }: Reading): Receiver<unknown> {
  return pieces ? receivePieces(pieces, limits) : receiveJson(url, limits, parseJson);
}

function createHttpRpc(url: string, reading: Reading): OneRpc {
  const http = createHttp(url, reading.isZipped ? 'gzip' : 'identity');
  const { redact } = http;
  const { limits = limitsOf } = reading;
  // A server that knows no batches answers one with a single record; from then on it gets one call at a time.
  let takesBatches = reading.pieces === undefined;
  return {
    name: http.name,
    async batch(calls, timeoutMs) {
      if (takesBatches && calls.length > 1) {
        const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
        const answer = await post(body, timeoutMs, limits(calls));
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
    return toReply(await post(body, timeoutMs, limits([call])), redact);
  }

  async function post(body: string, timeoutMs: number, most: AnswerLimits): Promise<unknown> {
    const { status, value } = await http.request({ method: 'POST', body }, timeoutMs, (answered) =>
      answered === 200 ? receiverOf(url, most, reading) : receiveText(),
    );
    if (status !== 200) throw new RpcFailure(`it answered with status ${status}`);
    return value;
  }
}

const connectMs = 10_000;
/** Short frames that a connection may bring in a second. */
const maxFrames = 5000;
/** Messages that answer nothing, one after the other: what came too late, or was never asked for. */
const maxUnasked = 100;

/** The same over a WebSocket, which is opened on first use and again after it broke. */
function createSocketRpc(url: string, reading: Reading): OneRpc {
  const redact = createRedact(url);
  const waiting = new Map<number, { settle: (reply: unknown) => void; call: RpcCall }>();
  let current: NodeSocket | undefined;
  let opening: Promise<NodeSocket> | undefined;
  let nextId = 0;
  let receivedAt = 0;
  let unasked = 0;

  const limits = () =>
    limitsOf(waiting.size === 0 ? [smallCall] : [...waiting.values()].map(({ call }) => call));

  function fail(reason: RpcFailure): void {
    for (const { settle } of waiting.values()) settle(reason);
    waiting.clear();
  }

  function open(): Promise<NodeSocket> {
    opening ??= new Promise((resolve, reject) => {
      const socket: NodeSocket = openSocket(
        url,
        { maxBytes: () => limits().maxBytes, maxFrames, connectMs },
        {
          onOpen: () => resolve(socket),
          onMessage(pieces) {
            receivedAt = performance.now();
            return receive(pieces).then(take, (reason: RpcFailure) => drop(socket, reason));
          },
          onClose(reason) {
            reject(reason);
            drop(socket, reason);
          },
        },
      );
      current = socket;
    });
    return opening;

    function take(message: unknown): void {
      unasked++;
      for (const reply of Array.isArray(message) ? message : [message]) settle(reply);
      if (unasked > maxUnasked && current) drop(current, new Nonsense('it sends what was not asked for'));
    }
  }

  async function receive(pieces: readonly Buffer[]): Promise<unknown> {
    const receiver = receiverOf(url, limits(), reading);
    const isLong = pieces.reduce((size, { length }) => size + length, 0) > longBytes;
    for (const piece of pieces) {
      receiver.write(piece);
      if (isLong) await yieldToEventLoop();
    }
    return receiver.end();
  }

  /** All requests fail with it: nothing says which of them it was to answer. */
  function drop(socket: NodeSocket, reason: RpcFailure): void {
    // Another connection may be open by now.
    if (current !== socket) return;
    current = undefined;
    opening = undefined;
    unasked = 0;
    fail(reason);
    socket.close();
  }

  function settle(reply: unknown): void {
    if (!isRecord(reply)) return;
    if (reply.id === null && isRecord(reply.error))
      fail(new RpcFailure(`it refused a request: ${toMessage(reply.error.message, redact)}`));
    if (typeof reply.id !== 'number') return;
    const asked = waiting.get(reply.id);
    if (!asked) return;
    waiting.delete(reply.id);
    unasked = 0;
    asked.settle(reply);
  }

  return {
    name: maskOrigin(url),
    async batch(calls, timeoutMs) {
      const socket = await within(open(), timeoutMs);
      const first = nextId;
      nextId += calls.length;
      const ids = calls.map((_, index) => first + index);
      const replies = Promise.all(
        calls.map(
          (call, index) =>
            new Promise<unknown>((settle) => void waiting.set(first + index, { settle, call })),
        ),
      );
      const sentAt = performance.now();
      socket.send(JSON.stringify(calls.map((call, index) => ({ jsonrpc: '2.0', id: ids[index], ...call }))));
      const answers = await within(replies, timeoutMs).catch((error: unknown) => {
        for (const id of ids) waiting.delete(id);
        // A connection on which nothing came meanwhile may be dead without being closed.
        if (receivedAt < sentAt) drop(socket, new RpcFailure('it fell silent'));
        throw error;
      });
      return answers.map((answer) => toReply(answer, redact));
    },
    async close() {
      current?.close();
    },
  };
}

/** While nothing is asked for, a message may have as much as the answer to a small call. */
const smallCall: RpcCall = { method: '', params: [] };

function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return settleWithin(timeoutMs, work, () => {
    throw new RpcFailure(`it did not answer within ${timeoutMs} ms`);
  });
}

/** A server may answer a batch in any order. */
function inOrder(answer: readonly unknown[], count: number, redact: Redact): RpcReply[] {
  const replies = Array.from<RpcReply | undefined>({ length: count });
  for (const item of answer)
    if (isRecord(item) && typeof item.id === 'number') replies[item.id] = toReply(item, redact);
  return Array.from(replies, (reply) => {
    if (!reply) throw new Nonsense('a reply is missing from its answer');
    return reply;
  });
}

type Redact = ReturnType<typeof createRedact>;

function toReply(item: unknown, redact: Redact): RpcReply {
  if (item instanceof RpcFailure) throw item;
  if (!isRecord(item)) throw new Nonsense('a reply is not a record');
  if (isRecord(item.error)) {
    const { code, message, data } = item.error;
    return { error: { code: Number(code), message: toMessage(message, redact), data } };
  }
  if (item.result === undefined) throw new Nonsense('a reply has neither result nor error');
  return { result: item.result };
}

const maxMessageLength = 2000;

/** Cut, because messages are searched and shown to people. */
export function toMessage(message: unknown, redact: Redact): string {
  return redact(cutText(typeof message === 'string' ? message : 'it does not say why', maxMessageLength));
}
