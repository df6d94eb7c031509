import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import compress from '@fastify/compress';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Problem } from '../../model/errors.ts';
import type { MetricRecorder } from '../../model/metrics.ts';
import { platformTenant, type Series } from '../../model/metrics.ts';
import type { Principal } from '../../model/principal.ts';
import { accessOf, unusedRows } from './access.ts';
import { addEndpoints } from './addEndpoints.ts';
import { addSystemRoutes } from './addSystemRoutes.ts';
import { anonymous } from './caller.ts';
import { type Arrivals, createArrivals } from './createArrivals.ts';
import { createClientErrorHandler } from './createClientErrorHandler.ts';
import { createRequestLimits, type RequestLimits } from './createRequestLimits.ts';
import type { Endpoint } from './endpoint.ts';
import { addSecurityHeaders, allowOrigins } from './headers.ts';
import { inTurn } from './inTurn.ts';
import { addMethodRoutes, collectMethods, noSuchRoute } from './methodRoutes.ts';
import type { ServerOptions } from './serverOptions.ts';
import { toProblemReply } from './toProblemReply.ts';
import { addressKey, cleanForwarded, createTrust } from './trustedProxies.ts';

/** A client that sends its headers slower than this is disconnected; bodies are in `createArrivals`. */
const headersTimeoutMs = 10_000;
const keepAliveMs = 72_000;
const checkMs = 1000;
/** As long as any statement may take, so that a client that reads its answer gets it, and the process still ends within 20 s. */
const closeTimeoutMs = 15_000;

/** The HTTP server: the endpoints, the system routes, and what every request and answer have in common. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  checkAccessTable(options.endpoints);
  const arrivals = createArrivals();
  const app = createApp(options, arrivals);
  const methodsOf = collectMethods(app);
  const limits = createRequestLimits(options.rateLimit, options.services.now);
  addProblems(app, methodsOf, limits);
  await app.register(compress, {
    threshold: 1024,
    encodings: ['gzip', 'deflate', 'identity'],
    requestEncodings: ['gzip', 'deflate', 'identity'],
  });
  if (options.corsOrigins.length > 0) await allowOrigins(app, options.corsOrigins);
  addClosing(app, options);
  addRequestLog(app, options);
  addEndpoints(app, options, limits, arrivals);
  addMethodRoutes(app, options.endpoints, methodsOf);
  await app.register(async (scope) => {
    scope.addHook('onRequest', ({ url, ip }, _reply, done) => {
      done(limits.takeOpen(addressKey(ip), /^\/(?:healthz|readyz)\b/.test(url)));
    });
    addSystemRoutes(scope, options, methodsOf);
  });
  return app;
}

/** Every endpoint has a row, and every row an endpoint; a process without the role `api` has no endpoints at all. */
function checkAccessTable(endpoints: readonly Endpoint[]): void {
  for (const endpoint of endpoints) accessOf(endpoint);
  const unused = endpoints.length === 0 ? [] : unusedRows(endpoints);
  if (unused.length > 0)
    throw new Error(`The access table names endpoints that do not exist: ${unused.join(', ')}.`);
}

function createApp({ log, trustedProxies, services }: ServerOptions, arrivals: Arrivals): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController: createLogController(),
    // A logger for each request would cost more than the one line it writes, which names the request itself.
    childLoggerFactory: (logger) => logger,
    serverFactory: (handle) => openServer(handle, arrivals),
    forceCloseConnections: 'idle',
    genReqId: readRequestId,
    // A path that cannot be decoded reaches neither the error handler nor a hook.
    frameworkErrors: (error, request, reply) => {
      addSecurityHeaders(reply, services.publicUrl());
      sendProblem(error, request, reply);
    },
    clientErrorHandler: createClientErrorHandler(log, services.publicUrl),
    ...(trustedProxies ? { trustProxy: createTrust(trustedProxies) } : {}),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
    exposeHeadRoutes: true,
    // `addClosing` refuses them in the form of all problems.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => url.replace(absoluteForm, '') || '/',
  });
  refuseForeignHosts(app);
  app.decorateRequest('route', null);
  app.decorateRequest('endpoint', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('importTurn', null);
  cleanForwarded(app.server);
  // An Expect header changes nothing about the answer, as HTTP permits.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  return app;
}

/** The beginning of a request's target as clients send it to proxies; servers have to take it as well. */
const absoluteForm = /^https?:\/\/[^/?#]*(?=[/?#]|$)/i;

/** A proxy in between may have gone by the other host, so that a request has exactly one. */
function refuseForeignHosts(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { rawHeaders, headers } = request.raw;
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length;
    const [origin] = absoluteForm.exec(request.originalUrl) ?? [];
    const isOther =
      origin !== undefined && origin.replace(/^.*\//, '').toLowerCase() !== headers.host?.toLowerCase();
    if (hosts > 1) done(new Problem('malformed-request', 'The request has more than one Host header.'));
    else if (isOther)
      done(
        new Problem(
          'malformed-request',
          'The target of the request names another host than its Host header.',
        ),
      );
    else done();
  });
}

function openServer(handle: RequestListener, arrivals: Arrivals) {
  const timeouts = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: 0,
    connectionsCheckingInterval: checkMs,
  };
  const server = createHttpServer(timeouts, inTurn(arrivals.watched(handle)));
  server.keepAliveTimeout = keepAliveMs;
  arrivals.endLate(server);
  return server;
}

/** The framework is silent about requests, which have a line of their own, but not about an answer that breaks off midway. */
function createLogController(): LogController {
  const controller = new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' });
  return Object.assign(controller, {
    streamError(error: Error, { id, log }: FastifyRequest) {
      const isGone = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (isGone) log.debug({ requestId: id }, 'Client left before the whole answer was sent');
      else log.error({ requestId: id, err: error }, 'Answer failed while it was sent; connection closed');
    },
  });
}

function addProblems(
  app: FastifyInstance,
  methodsOf: (path: string) => string[],
  limits: RequestLimits,
): void {
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(
      new Problem('unknown-path', 'There is no such path; /docs lists every endpoint.'),
      request,
      reply,
    ),
  );
  // Before the body is read, which no handler would use.
  app.addHook('onRequest', (request, _reply, done) => {
    const isOpen = request.is404 || request.method === 'OPTIONS';
    const tooMany = isOpen ? limits.takeOpen(addressKey(request.ip), false) : undefined;
    done(tooMany ?? (request.is404 ? noSuchRoute(request, methodsOf) : undefined));
  });
}

/** The answer to requests on open connections while the server stops; it is no fault. */
const stopping = new Problem('unavailable', 'Vigil is stopping; send the request again.', {
  retryAfterSeconds: 2,
});

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (hasLeft(error, reply)) {
    request.log.debug({ requestId: request.id }, 'Client left before it was answered');
    return reply.code(clientLeft).send();
  }
  const problem = toProblemReply(error, request.id);
  if (problem.isFault)
    request.log.error({ requestId: request.id, err: error }, 'Request failed unexpectedly; answered 500');
  else if (problem.status === 503 && error !== stopping)
    request.log.warn({ requestId: request.id, err: error }, 'Request could not be served; answered 503');
  return reply.code(problem.status).headers(problem.headers).send(problem.body);
}

/** A page that is closed or asks for something else takes its pending requests back; only the closed connection says so. */
function hasLeft(error: unknown, { raw }: FastifyReply): boolean {
  const isPremature = error instanceof Error && /^premature close$/i.test(error.message);
  return isPremature && raw.destroyed;
}

/** No one receives it, but the log and the metrics have it; the usual number for this. */
const clientLeft = 499;

/** Ends streams and connections that would otherwise delay closing for as long as their clients like. */
function addClosing(app: FastifyInstance, { services }: ServerOptions): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    setTimeout(() => app.server.closeAllConnections(), closeTimeoutMs).unref();
    await services.alertFeed.close();
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    if (!isClosing) done();
    else done(stopping);
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    addSecurityHeaders(reply, services.publicUrl());
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
}

function addRequestLog(app: FastifyInstance, { log, metrics, services }: ServerOptions): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.route ?? request.routeOptions.url ?? 'unknown';
    metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        tenantId: request.caller?.principal.tenantId ?? undefined,
      },
      'Request answered',
    );
    if (request.caller) countRequest(services.recorder, request.method, request.caller.principal);
    done();
  });
}

const requestSeries = new Map(
  ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].map((type): [string, Series] => [
    type,
    { metric: 'api_requests', labels: { type } },
  ]),
);

/** Requests without a token belong to no tenant and are not counted. */
function countRequest(recorder: MetricRecorder, method: string, principal: Principal): void {
  const series = requestSeries.get(method);
  if (!series || principal.tokenId === anonymous.tokenId) return;
  recorder.add(series, platformTenant, 1);
  if (principal.tenantId !== null) recorder.add(series, principal.tenantId, 1);
}

function readRequestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const requested = request.headers['x-request-id'];
  return typeof requested === 'string' && /^[\w.:/+=-]{1,128}$/.test(requested) ? requested : randomUUID();
}
