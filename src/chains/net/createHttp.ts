import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Pool } from 'undici';
import { cutText } from '../../lib/cutText.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { createRedact, maskOrigin } from '../../lib/maskEndpoint.ts';
import { holdAnswer } from './holdAnswer.ts';
import type { Receiver } from './receivers.ts';
import { AnswerTooLarge, Nonsense, RpcFailure } from './rpcFailure.ts';

export type NodeRequest = {
  method: 'GET' | 'POST';
  /** Below the address of the endpoint. */
  path?: string;
  body?: string | Uint8Array | undefined;
  contentType?: string;
};

/** A larger answer lets others have their turn while it comes. */
export const longBytes = 1024 * 1024;

/** The HTTP connections to one endpoint. What it fails to answer is an RpcFailure; any status is an answer. */
export function createHttp(url: string, encoding: 'identity' | 'gzip' = 'identity') {
  const { origin, pathname, search, username, password } = new URL(url);
  const pool = new Pool(origin, { connections: 16, keepAliveTimeout: 30_000, connectTimeout: 3000 });
  const headers = {
    'accept-encoding': encoding,
    ...(username
      ? {
          authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
        }
      : {}),
  };

  return {
    /** Without path and query, which often hold an access key. */
    name: maskOrigin(url),
    redact: createRedact(url),
    /** Sends the request and gives each piece of the answer, unpacked, to the receiver that is chosen by its status. */
    async request<T>(
      { method, path = '', body, contentType = 'application/json' }: NodeRequest,
      timeoutMs: number,
      receiverOf: (status: number) => Receiver<T>,
    ): Promise<{ status: number; value: T }> {
      try {
        const response = await pool.request({
          method,
          path: joinPath(pathname, path, search),
          headers: { ...headers, 'content-type': contentType },
          body: body ?? null,
          signal: AbortSignal.timeout(timeoutMs),
        });
        const { statusCode: status, headers: answered, body: stream } = response;
        // A stream that is destroyed while no one reads it must not end the process.
        stream.on('error', () => {});
        const receiver = receiverOf(status);
        const hold = holdAnswer(url, () => stream.destroy(crowdedOut()));
        const take = (pieces: AsyncIterable<Buffer>) => receive(pieces, receiver, hold.add);
        try {
          const packing = String(answered['content-encoding'] ?? 'identity').toLowerCase();
          if (packing === 'gzip') await take(pipeline(stream, createGunzip({ chunkSize: 65_536 }), () => {}));
          else if (packing === 'identity') await take(stream);
          else {
            stream.destroy();
            throw new Nonsense(`its answer is packed as ${cutText(packing, 30)}, which was not asked for`);
          }
          return { status, value: await receiver.end() };
        } finally {
          hold.release();
        }
      } catch (error) {
        throw error instanceof RpcFailure ? error : toFailure(error, timeoutMs);
      }
    },
    close: () => pool.destroy(),
  };
}

async function receive(
  pieces: AsyncIterable<Buffer>,
  receiver: Receiver<unknown>,
  onBytes: (count: number) => void,
): Promise<void> {
  let size = 0;
  let held = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > receiver.maxBytes) throw new AnswerTooLarge('its answer is too large');
    receiver.write(piece);
    const before = held;
    held = Math.min(size, receiver.held?.() ?? size);
    onBytes(held - before);
    if (size > longBytes) await yieldToEventLoop();
  }
}

export function crowdedOut(): RpcFailure {
  return new RpcFailure('too much is being read at once, and most of it from here');
}

/** A path below the address of the endpoint, whose query may hold an access key. */
function joinPath(base: string, path: string, search: string): string {
  if (path === '') return base + search;
  const joined = base.replace(/\/$/, '') + path;
  return search === '' ? joined : `${joined}${joined.includes('?') ? '&' : '?'}${search.slice(1)}`;
}

function toFailure(cause: unknown, timeoutMs: number): RpcFailure {
  if (cause instanceof Error && cause.name === 'TimeoutError')
    return new RpcFailure(`it did not answer within ${timeoutMs} ms`, { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new Nonsense('its headers are too long', { cause });
  if (code.startsWith('HPE_')) return new Nonsense('its answer is not HTTP', { cause });
  if (code.startsWith('Z_')) return new Nonsense('its answer cannot be unpacked', { cause });
  return new RpcFailure(code ? `the connection failed (${code})` : 'the connection failed', { cause });
}
