import { createHash, randomBytes } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { crowdedOut } from './createHttp.ts';
import { holdAnswer } from './holdAnswer.ts';
import { AnswerTooLarge, Nonsense, RpcFailure } from './rpcFailure.ts';

type Handlers = {
  onOpen(): void;
  /** A message counts as held until the returned promise settles. */
  onMessage(pieces: readonly Buffer[]): void | Promise<void>;
  /** Called once, however it ended. */
  onClose(reason: RpcFailure): void;
};

type Options = {
  /** Current limit of one message. */
  maxBytes: () => number;
  /** Short frames in a second, those of control included. */
  maxFrames: number;
  connectMs: number;
};

export type NodeSocket = { send(text: string): void; close(): void };

/** Longer frames cost little for what they bring. */
const shortBytes = 1024;

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/**
 * A WebSocket to a node (RFC 6455) without extensions. Lengths are checked before bytes are accepted, and a node with
 * too many frames is cut off; the built-in client accepts anything.
 */
export function openSocket(
  url: string,
  options: Options,
  { onOpen, onMessage, onClose }: Handlers,
): NodeSocket {
  const { maxBytes, maxFrames, connectMs } = options;
  const { protocol, username, password } = new URL(url);
  const key = randomBytes(16).toString('base64');
  const hold = holdAnswer(url, () => end(crowdedOut()));
  let socket: Socket | undefined;
  let isOver = false;
  /** The beginning of a frame that has not come as a whole. */
  let rest: Buffer = Buffer.alloc(0);
  /** Of the frame that comes. */
  let missing = 0;
  let isControl = false;
  let isLast = false;
  let opcode = 0;
  let control: Buffer[] = [];
  /** Of the message that comes. */
  let isOpen = false;
  let pieces: Buffer[] = [];
  let size = 0;
  let frames = 0;
  let countedFrom = performance.now();

  const request = (protocol === 'wss:' || protocol === 'https:' ? requestHttps : requestHttp)(
    url.replace(/^ws/, 'http'),
    {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
      },
      ...(username ? { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` } : {}),
      agent: false,
    },
  );
  const timer = setTimeout(() => end(new RpcFailure(`it did not answer within ${connectMs} ms`)), connectMs);
  request.on('upgrade', (response, opened, head) => {
    clearTimeout(timer);
    socket = opened;
    if (isOver) return void socket.destroy();
    const fault = faultOf(response, key);
    socket.on('error', () => end(new RpcFailure('the connection failed')));
    socket.on('close', () => end(new RpcFailure('the connection was closed')));
    if (fault !== undefined) return end(new Nonsense(fault));
    socket.setNoDelay(true);
    onOpen();
    take(head);
    socket.on('data', take);
  });
  request.on('response', (response) => {
    response.destroy();
    end(new RpcFailure(`it answered with status ${response.statusCode}`));
  });
  request.on('error', (cause: NodeJS.ErrnoException) =>
    end(
      cause.code?.startsWith('HPE_')
        ? new Nonsense('its answer is not HTTP', { cause })
        : new RpcFailure('the connection failed', { cause }),
    ),
  );
  request.end();

  function end(reason: RpcFailure): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    hold.release();
    pieces = [];
    socket?.destroy();
    request.destroy();
    onClose(reason);
  }

  function take(chunk: Buffer): void {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    rest = Buffer.alloc(0);
    while (!isOver && bytes.length > 0) {
      if (missing === 0) {
        const header = readHeader(bytes);
        if (header === undefined) {
          rest = bytes;
          return;
        }
        bytes = bytes.subarray(header.length);
        const reason = begin(header);
        if (reason) {
          end(reason);
          return;
        }
      }
      const part = bytes.subarray(0, missing);
      bytes = bytes.subarray(part.length);
      missing -= part.length;
      if (isControl) control.push(part);
      else if (part.length > 0) {
        pieces.push(part);
        hold.add(part.length);
      }
      if (missing === 0) finish();
    }
  }

  /** The reason to refuse a frame with this header. */
  function begin({ first, payload }: Header): RpcFailure | undefined {
    const now = performance.now();
    if (now - countedFrom > 1000) {
      countedFrom = now;
      frames = 0;
    }
    if (payload < shortBytes && ++frames > maxFrames)
      return new Nonsense(`it sends more than ${maxFrames} messages a second`);
    opcode = first & 0x0f;
    isLast = first >= 0x80;
    isControl = opcode >= opcodes.close;
    missing = payload;
    if ((first & 0x70) !== 0 || opcode > opcodes.pong || (opcode > opcodes.binary && !isControl))
      return new Nonsense('it breaks the protocol of WebSockets');
    if (isControl)
      return isLast && payload < 126 ? undefined : new Nonsense('it breaks the protocol of WebSockets');
    if ((opcode === opcodes.continuation) !== isOpen)
      return new Nonsense('it breaks the protocol of WebSockets');
    isOpen = true;
    size += payload;
    return size > maxBytes() ? new AnswerTooLarge('its answer is too large') : undefined;
  }

  function finish(): void {
    if (isControl) {
      const payload = Buffer.concat(control);
      control = [];
      if (opcode === opcodes.close) {
        write(opcodes.close, payload.subarray(0, 2));
        end(new RpcFailure('the connection was closed'));
        // One that does not read gets no more to read.
      } else if (opcode === opcodes.ping && socket?.writableLength === 0) write(opcodes.pong, payload);
      return;
    }
    if (!isLast) return;
    const [message, bytes] = [pieces, size];
    pieces = [];
    size = 0;
    isOpen = false;
    void Promise.resolve(onMessage(message)).finally(() => hold.add(-bytes));
  }

  function write(code: number, payload: Buffer): void {
    socket?.write(toFrame(code, payload));
  }

  return {
    send: (text) => write(opcodes.text, Buffer.from(text)),
    close() {
      if (isOver) return;
      write(opcodes.close, Buffer.alloc(0));
      isOver = true;
      clearTimeout(timer);
      hold.release();
      // It does not wait for the other side to agree, which may be dead.
      if (socket) socket.destroySoon();
      else request.destroy();
    },
  };
}

function faultOf({ headers }: IncomingMessage, key: string): string | undefined {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  if (headers['sec-websocket-accept'] !== accept) return 'it does not speak WebSocket';
  return headers['sec-websocket-extensions'] ? 'it packs messages, which was not asked for' : undefined;
}

type Header = { readonly first: number; readonly payload: number; readonly length: number };

/** Undefined until all of it has come. A masked frame counts as one that is too large: servers send none. */
function readHeader(bytes: Buffer): Header | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const short = second & 127;
  const length = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < length) return undefined;
  const payload =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  return { first, payload: second > 127 ? Number.POSITIVE_INFINITY : payload, length };
}

/** Masked, as RFC 6455 requires of clients. */
function toFrame(code: number, payload: Buffer): Buffer {
  const size = payload.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
  head[0] = 0x80 | code;
  head[1] = 0x80 | (head.length === 2 ? size : head.length === 4 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  const mask = randomBytes(4);
  const masked = Buffer.from(payload);
  for (let index = 0; index < size; index++) masked[index]! ^= mask[index & 3]!;
  return Buffer.concat([head, mask, masked]);
}
