import type { BlockList } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { Secret } from '../../lib/secret.ts';
import type { Services } from '../../services/call.ts';
import type { Authenticate } from './authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import type { Metrics } from './metrics.ts';

export type ServerOptions = {
  services: Services;
  authenticate: Authenticate;
  endpoints: readonly Endpoint[];
  metrics: Metrics;
  /** Whether /metrics is served here, and the token that it asks for. */
  metricsAccess?: { isElsewhere: boolean; token: Secret | undefined };
  log: FastifyBaseLogger;
  version: string;
  rateLimit: { perSecond: number; burst: number };
  corsOrigins: readonly string[];
  /** Whose X-Forwarded-For is believed; none if left out. */
  trustedProxies?: BlockList;
};
