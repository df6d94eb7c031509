import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { webhookMessages } from '../api/endpoints/destinations/webhookMessages.ts';
import { createEndpoints } from '../api/endpoints/endpoints.ts';
import type { createAuthenticator } from '../api/http/createAuthenticator.ts';
import { createMetrics } from '../api/http/createMetrics.ts';
import { createServer } from '../api/http/createServer.ts';
import { startMetricsServer } from '../api/http/startMetricsServer.ts';
import { findCodeFile } from '../lib/codeFile.ts';
import type { createLifecycle } from '../lib/createLifecycle.ts';
import type { Services } from '../services/call.ts';
import { readHeartbeat } from '../store/telemetry/heartbeat.ts';
import { readBacklog } from '../store/telemetry/readBacklog.ts';
import { type Config, confirmationsOf } from './config/loadConfig.ts';
import type { Database } from './database.ts';
import { packageVersion } from './packageVersion.ts';

type Options = {
  config: Config;
  database: Database;
  services: Services;
  authenticate: ReturnType<typeof createAuthenticator>;
  lifecycle: Pick<ReturnType<typeof createLifecycle>, 'onStop'>;
  log: Logger;
};

/** Serves the API and, where it has a port of its own, /metrics; returns the API's address. */
export async function startServer(options: Options): Promise<string> {
  const { config, database, services, authenticate, lifecycle, log } = options;
  const { port: metricsPort, token } = config.metrics;
  const assets = findCodeFile('web/assets');
  const metrics = createMetrics(
    database.store.stats,
    database.replicas?.ages,
    () => readBacklog(database.store, Date.now()),
    () => readHeartbeat(database.store, Date.now()),
  );
  const server = await createServer({
    services,
    authenticate,
    endpoints: config.roles.includes('api') ? endpointsFor(config) : [],
    webhooks: webhookMessages,
    metrics,
    metricsAccess: { isElsewhere: metricsPort !== undefined, token },
    log,
    version: packageVersion(),
    rateLimit: config.rateLimit,
    corsOrigins: config.corsOrigins,
    ...(assets ? { consoleFolder: new URL('./', assets) } : {}),
    ...(config.trustedProxies ? { trustedProxies: config.trustedProxies } : {}),
  });
  lifecycle.onStop(() => server.close());
  if (metricsPort !== undefined) {
    const metricsServer = await startMetricsServer({ ...config.metrics, port: metricsPort, metrics });
    lifecycle.onStop(() => metricsServer.close());
  }
  return listen(server, config);
}

export function endpointsFor(config: Config) {
  return createEndpoints(confirmationsOf(config));
}

async function listen(server: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    throw new Error(
      `Vigil cannot listen on ${host}:${port}; set VIGIL_HOST and VIGIL_PORT to an address of this machine that no other program uses.`,
      { cause },
    );
  }
}
