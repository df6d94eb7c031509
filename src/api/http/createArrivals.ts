import type { IncomingMessage, Server } from 'node:http';
import type { Handle } from './inTurn.ts';

/** Time for a request to arrive, however small. */
const graceMs = 10_000;
/** A slow link, far above what a client sends that only wants to hold a connection. */
const bytesPerMs = 64;
/** Enough for the largest file over 3.5 Mbit/s. */
const longestMs = 600_000;
const checkMs = 1000;

export type Arrivals = ReturnType<typeof createArrivals>;

/** Ends requests whose bodies arrive too slowly; the time in which Vigil itself makes them wait does not count. */
export function createArrivals() {
  const arriving = new Map<IncomingMessage, { since: number; bytesBefore: number }>();

  function isLate(request: IncomingMessage): boolean {
    const entry = arriving.get(request);
    if (!entry) return false;
    const elapsedMs = performance.now() - entry.since;
    const bytes = request.socket.bytesRead - entry.bytesBefore;
    return elapsedMs > Math.min(longestMs, graceMs + bytes / bytesPerMs);
  }

  function receive(request: IncomingMessage): void {
    arriving.set(request, { since: performance.now(), bytesBefore: request.socket.bytesRead });
  }

  return {
    /** The body is being received from now on. */
    receive,
    /** Nothing of the body is read until `receive` is called. */
    hold: (request: IncomingMessage) => void arriving.delete(request),
    watched(handle: Handle): Handle {
      return (request, response) => {
        if (!request.complete && hasBody(request)) {
          receive(request);
          response.on('close', () => {
            if (request.complete || request.socket.destroyed) arriving.delete(request);
            // An answer that came before the body leaves the rest of it to be read and dropped.
            else if (!arriving.has(request)) receive(request);
          });
        }
        handle(request, response);
      };
    },
    endLate(server: Server): void {
      const timer = setInterval(() => {
        for (const request of arriving.keys()) {
          if (request.complete || request.socket.destroyed) arriving.delete(request);
          else if (isLate(request)) {
            arriving.delete(request);
            const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
            server.emit('clientError', error, request.socket);
          }
        }
      }, checkMs);
      timer.unref();
      server.once('close', () => clearInterval(timer));
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
