import { isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Pool } from 'undici';
import { InvalidJson } from '../../lib/createJsonReader.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { createRedact, maskOrigin } from '../../lib/maskEndpoint.ts';
import { AnswerTooLarge, RpcFailure } from './rpcFailure.ts';

/** Blocks of fast chains with all their logs have some tens of megabytes. */
export const maxAnswerBytes = 256 * 1024 * 1024;

/** The HTTP connections to one endpoint. What it fails to answer is an RpcFailure; any status is an answer. */
export function createHttp(
  url: string,
  maxBytes = maxAnswerBytes,
  encoding: 'identity' | 'gzip' = 'identity',
) {
  const { origin, pathname, search, username, password } = new URL(url);
  const pool = new Pool(origin, {
    connections: 16,
    keepAliveTimeout: 30_000,
    connectTimeout: 3000,
    maxResponseSize: maxBytes,
  });
  const headers = {
    'accept-encoding': encoding,
    ...(username
      ? {
          authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
        }
      : {}),
  };

  const open = (
    method: 'GET' | 'POST',
    path: string,
    body: string | Uint8Array | undefined,
    timeoutMs: number,
    contentType = 'application/json',
  ) =>
    pool.request({
      method,
      path: joinPath(pathname, path, search),
      headers: { ...headers, 'content-type': contentType },
      body: body ?? null,
      signal: AbortSignal.timeout(timeoutMs),
    });

  async function send(...request: Parameters<typeof open>): Promise<{ status: number; bytes: Buffer }> {
    const [, , , timeoutMs] = request;
    try {
      const response = await open(...request);
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const isZipped = response.headers['content-encoding'] === 'gzip';
      return {
        status: response.statusCode,
        bytes: isZipped ? await unzip(bytes, { maxOutputLength: maxBytes }) : bytes,
      };
    } catch (error) {
      throw toFailure(error, timeoutMs);
    }
  }

  return {
    /** Without path and query, which often hold an access key. */
    name: maskOrigin(url),
    redact: createRedact(url),
    /** What is sent and answered as bytes. */
    send,
    async request(
      method: 'GET' | 'POST',
      path: string,
      body: string | undefined,
      timeoutMs: number,
    ): Promise<{ status: number; text: string }> {
      const { status, bytes } = await send(method, path, body, timeoutMs);
      return { status, text: toText(bytes) };
    },
    /** The same, with each piece of the answer as it comes, so that a large one is never held as a whole. */
    async read(
      body: string,
      timeoutMs: number,
      onPiece: (piece: Buffer) => void,
    ): Promise<{ status: number }> {
      try {
        const response = await open('POST', '', body, timeoutMs);
        for await (const piece of response.body) {
          onPiece(piece);
          await yieldToEventLoop();
        }
        return { status: response.statusCode };
      } catch (error) {
        throw error instanceof InvalidJson ? error : toFailure(error, timeoutMs);
      }
    },
    close: () => pool.destroy(),
  };
}

const unzip = promisify(gunzip);
/** What undici and zlib call an answer beyond the limit. */
const tooLarge = ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'ERR_BUFFER_TOO_LARGE'];

/** A path below the address of the endpoint, whose query may hold an access key. */
function joinPath(base: string, path: string, search: string): string {
  if (path === '') return base + search;
  const joined = base.replace(/\/$/, '') + path;
  return search === '' ? joined : `${joined}${joined.includes('?') ? '&' : '?'}${search.slice(1)}`;
}

/** Answers are plain ASCII nearly always, which is read several times as fast. */
function toText(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}

function toFailure(cause: unknown, timeoutMs: number): RpcFailure {
  if (cause instanceof Error && cause.name === 'TimeoutError')
    return new RpcFailure(`it did not answer within ${timeoutMs} ms`, { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (tooLarge.includes(code)) return new AnswerTooLarge('its answer is too large', { cause });
  if (code.startsWith('Z_')) return new RpcFailure('its answer cannot be unpacked', { cause });
  return new RpcFailure(code ? `the connection failed (${code})` : 'the connection failed', { cause });
}
