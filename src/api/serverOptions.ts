import type { FastifyBaseLogger } from 'fastify';
import type { Services } from '../services/call.ts';
import type { Authenticate } from './authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import type { Metrics } from './metrics.ts';

export type ServerOptions = {
  services: Services;
  authenticate: Authenticate['authenticate'];
  endpoints: readonly Endpoint[];
  metrics: Metrics;
  log: FastifyBaseLogger;
  version: string;
  rateLimit: { perSecond: number; burst: number };
  corsOrigins: readonly string[];
};
