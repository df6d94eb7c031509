import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint, Stream } from './endpoint.ts';

/** Time for a slow reader before its connection is destroyed. */
const drainMs = 2000;

export function sendStream(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces, cut, onEnd = () => {}, type }: Stream,
): FastifyReply {
  const { raw } = reply;
  raw.once('close', onEnd);
  // The client may have disconnected already, and then no event follows.
  if (raw.destroyed || raw.closed) onEnd();
  cut?.addEventListener('abort', () => setTimeout(() => raw.destroy(), drainMs).unref());
  // A HEAD request must not wait for the end of a stream that has none.
  const events =
    request.method === 'HEAD' ? '' : Readable.from(pieces, { objectMode: true, highWaterMark: 1 });
  return reply
    .code(endpoint.status ?? 200)
    .header('connection', 'close')
    .type(`${type ?? (endpoint.isLines ? 'application/x-ndjson' : 'text/event-stream')}; charset=utf-8`)
    .send(events);
}
