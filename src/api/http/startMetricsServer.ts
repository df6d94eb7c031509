import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Secret } from '../../lib/secret.ts';
import { hashToken } from '../../lib/token.ts';
import type { Metrics } from './createMetrics.ts';

/** Serves /metrics and nothing else, on a port that only the monitoring reaches. */
export async function startMetricsServer(options: {
  host: string;
  port: number;
  token: Secret | undefined;
  metrics: Metrics;
}): Promise<{ port: number; close(): Promise<void> }> {
  const { host, port, token, metrics } = options;
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 },
    (request, reply) => {
      const isKnown = request.url === '/metrics' && (request.method === 'GET' || request.method === 'HEAD');
      const status = !isKnown ? 404 : mayReadMetrics(request.headers.authorization, token) ? 200 : 401;
      if (status !== 200) {
        reply.writeHead(status, status === 401 ? { 'www-authenticate': 'Bearer' } : {}).end();
        return;
      }
      metrics.read(request.headers.accept).then(
        ({ contentType, text }) => reply.writeHead(200, { 'content-type': contentType }).end(text),
        () => reply.writeHead(500).end(),
      );
    },
  );
  // It keeps no process alive that serves nothing else.
  server.unref().listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(
      `Vigil cannot serve metrics on ${host}:${port}; set VIGIL_METRICS_HOST and VIGIL_METRICS_PORT to an address of this ` +
        'machine that no other program uses.',
      { cause },
    );
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Compared by digest, so that the time it takes says nothing about the token. */
export function mayReadMetrics(authorization: string | undefined, token: Secret | undefined): boolean {
  if (!token) return true;
  const given = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(hashToken(given), hashToken(token.reveal()));
}
