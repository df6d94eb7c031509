import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

type ServerSocket = { send(text: string | Buffer): void };

/** The server's half of a WebSocket: answers the handshake, hands on each text and answers pings. */
export function acceptSocket(
  request: IncomingMessage,
  stream: Duplex,
  events: { text: (text: string) => void; close: () => void },
): ServerSocket {
  const key = request.headers['sec-websocket-key'] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let buffered = Buffer.alloc(0);
  let message: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (let frame = readFrame(buffered); frame; frame = readFrame(buffered)) {
      buffered = buffered.subarray(frame.length);
      take(frame);
    }
  });
  stream.on('close', events.close);
  stream.on('error', () => stream.destroy());

  function take({ opcode, isLast, payload }: Frame): void {
    if (opcode === CLOSE) stream.end(toFrame(CLOSE, payload));
    else if (opcode === PING) stream.write(toFrame(PONG, payload));
    else if (opcode === TEXT || opcode === CONTINUATION) {
      message.push(payload);
      if (!isLast) return;
      const text = Buffer.concat(message).toString();
      message = [];
      events.text(text);
    }
  }

  return {
    send(text) {
      if (stream.writable) stream.write(toFrame(TEXT, Buffer.from(text)));
    },
  };
}

const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

type Frame = { opcode: number; isLast: boolean; payload: Buffer; length: number };

/** The first frame, once it is all there. A client masks what it sends. */
function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 6) return undefined;
  const short = bytes[1]! & 127;
  const maskAt = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < maskAt + 4) return undefined;
  const size =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const length = maskAt + 4 + size;
  if (bytes.length < length) return undefined;
  const payload = Buffer.from(bytes.subarray(maskAt + 4, length));
  for (let at = 0; at < size; at++) payload[at]! ^= bytes[maskAt + (at & 3)]!;
  return { opcode: bytes[0]! & 15, isLast: bytes[0]! >= 128, payload, length };
}

function toFrame(opcode: number, payload: Buffer): Buffer {
  const size = payload.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
  head[0] = 128 | opcode;
  head[1] = size < 126 ? size : size < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, payload]);
}
