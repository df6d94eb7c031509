import type { BlockList } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { Secret } from '../../lib/secret.ts';
import type { Services } from '../../services/call.ts';
import type { Authenticator } from './createAuthenticator.ts';
import type { Metrics } from './createMetrics.ts';
import type { Endpoint } from './endpoint.ts';
import type { Webhook } from './openApiDocument.ts';

export type ServerOptions = {
  services: Services;
  authenticate: Authenticator;
  endpoints: readonly Endpoint[];
  /** Messages that the documents describe; none if left out. */
  webhooks?: readonly Webhook[];
  metrics: Metrics;
  /** Access to /metrics: whether it is served elsewhere, and its token. */
  metricsAccess?: { isElsewhere: boolean; token: Secret | undefined };
  log: FastifyBaseLogger;
  version: string;
  rateLimit: { perSecond: number; burst: number };
  corsOrigins: readonly string[];
  /** The folder of the built console; none is served if left out. */
  consoleFolder?: URL;
  /** Proxies whose X-Forwarded-For is believed; none if left out. */
  trustedProxies?: BlockList;
};
