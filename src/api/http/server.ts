import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import compress from '@fastify/compress';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { hashToken } from '../../lib/token.ts';
import { Problem } from '../../model/errors.ts';
import { platformTenant, type Series } from '../../model/metrics.ts';
import type { Principal, Scope } from '../../model/principal.ts';
import { endReusedSession } from '../../services/accounts/sessions.ts';
import type { MetricRecorder } from '../../services/telemetry/metricRecorder.ts';
import { accessOf, unusedRows } from './access.ts';
import { collectMethods } from './allowedMethods.ts';
import { authorize, visibleTo } from './authorize.ts';
import { createClientErrorHandler } from './clientErrors.ts';
import type { Endpoint, Stream } from './endpoint.ts';
import { addDeprecation, addSecurityHeaders, allowOrigins } from './headers.ts';
import { createPasswordGuard } from './passwordGuard.ts';
import { toProblemReply } from './problem.ts';
import { readAnonymousJson, readJson } from './readJson.ts';
import { createRequestLimits } from './requestLimits.ts';
import { createRequestShares } from './requestShares.ts';
import { routeOf } from './route.ts';
import { type Answer, readInput, runEndpoint } from './runEndpoint.ts';
import type { ServerOptions } from './serverOptions.ts';
import { addSystemRoutes } from './system.ts';
import { addressKey, cleanForwarded, createTrust } from './trustedProxies.ts';

const bodyLimit = 1024 * 1024;
/** Longer than any statement may take, so that whoever reads their answer gets it. */
const patienceMs = 20_000;

type Caller = { principal: Principal; scope: Scope; visible: Scope };
declare module 'fastify' {
  interface FastifyRequest {
    /** The endpoint's route, at hand because Fastify's own way to it builds an object every time. */
    route: string | null;
    /** Set once the request is authorized. */
    caller: Caller | null;
  }
}

const anonymous: Principal = {
  tokenId: 0,
  tokenKind: 'SESSION',
  userId: null,
  tenantId: null,
  organisationId: null,
  roles: [],
  readOnly: null,
};

/** The HTTP server: one loop over the endpoints, and what every answer has in common. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { endpoints, log, metrics } = options;
  // Without the role `api` there are none at all.
  const unused = endpoints.length === 0 ? [] : unusedRows(endpoints);
  if (unused.length > 0)
    throw new Error(`The access table names endpoints that do not exist: ${unused.join(', ')}.`);
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // A logger for each request would cost more than the one line it writes, which names the request itself.
    childLoggerFactory: (logger) => logger,
    bodyLimit,
    requestTimeout: 30_000,
    // Whoever dribbles a header or body is cut off instead of holding a connection.
    http: { headersTimeout: 10_000, requestTimeout: 10_000 },
    forceCloseConnections: 'idle',
    genReqId: readRequestId,
    // A path that cannot be decoded reaches neither the error handler nor a hook.
    frameworkErrors: (error, request, reply) => {
      addSecurityHeaders(reply);
      sendProblem(error, request, reply);
    },
    clientErrorHandler: createClientErrorHandler(log),
    ...(options.trustedProxies ? { trustProxy: createTrust(options.trustedProxies) } : {}),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
    exposeHeadRoutes: true,
  });

  app.decorateRequest('route', null);
  app.decorateRequest('caller', null);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendProblem(new Problem('unknown-path', 'There is no such path.'), request, reply),
  );
  const methodsOf = collectMethods(app);
  // Before the body is read, which no handler would use.
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? noSuchRoute(request, methodsOf) : undefined);
  });
  cleanForwarded(app.server);
  // Whatever is expected, the answer is the same as without it, as HTTP permits.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  readBodies(app);
  await app.register(compress, {
    threshold: 1024,
    encodings: ['gzip', 'deflate', 'identity'],
    requestEncodings: ['gzip', 'deflate', 'identity'],
  });
  if (options.corsOrigins.length > 0) await allowOrigins(app, options.corsOrigins);
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    // Whoever does not read the answer would hold up the end for as long as they like.
    setTimeout(() => app.server.closeAllConnections(), patienceMs).unref();
    // A stream ends only when it is told to.
    await options.services.alertFeed.close();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    addSecurityHeaders(reply);
    // A connection kept alive would hold up the end for as long as its client likes.
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
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
    if (request.caller) countRequest(options.services.recorder, request.method, request.caller.principal);
    done();
  });

  const limits = createRequestLimits(options.rateLimit, options.services.now);
  const passwords = createPasswordGuard(options.services.now);
  const shares = createRequestShares();
  const sweep = () => {
    limits.sweep();
    options.authenticate.sweep();
    passwords.sweep();
  };
  const sweeper = setInterval(sweep, 60_000).unref();
  app.addHook('onClose', async () => clearInterval(sweeper));
  const run = async (endpoint: Endpoint, request: FastifyRequest, caller: Caller): Promise<Answer> => {
    const input = readInput(endpoint, request);
    const work = () => runEndpoint(endpoint, options.services, caller, request, input);
    const isAnonymous = caller.principal === anonymous;
    // Sessions have connections of their own.
    const inTurn = () =>
      endpoint.effect === 'session'
        ? work()
        : shares.run(endpoint, caller.principal.tenantId, isAnonymous, work);
    if (!endpoint.password) return inTurn();
    const { principal } = caller;
    return passwords.run(endpoint.password, { ip: addressKey(request.ip), principal }, input.body, inTurn);
  };
  for (const endpoint of endpoints) addEndpoint(app, endpoint, options, limits, run);
  answerOptions(app, endpoints);
  refuseShadowed(app, endpoints, methodsOf);
  await addSystemRoutes(app, options);
  return app;
}

const requestSeries = new Map(
  ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].map((type): [string, Series] => [
    type,
    { metric: 'api_requests', labels: { type } },
  ]),
);

/** Requests that need no token are nobody's. */
function countRequest(recorder: MetricRecorder, method: string, { tokenId, tenantId }: Principal): void {
  const series = requestSeries.get(method);
  if (!series || tokenId === anonymous.tokenId) return;
  recorder.add(series, platformTenant, 1);
  if (tenantId !== null) recorder.add(series, tenantId, 1);
}

function addEndpoint(
  app: FastifyInstance,
  endpoint: Endpoint,
  options: ServerOptions,
  limits: ReturnType<typeof createRequestLimits>,
  run: (endpoint: Endpoint, request: FastifyRequest, caller: Caller) => Promise<Answer>,
): void {
  const access = accessOf(endpoint);
  const url = routeOf(endpoint);
  app.route({
    method: endpoint.method,
    url,
    bodyLimit: endpoint.bodyLimit ?? bodyLimit,
    // Before the body is read: a caller without a token costs a look-up and no more.
    onRequest: async (request, reply) => {
      request.route = url;
      const address = addressKey(request.ip);
      const principal =
        access === 'public'
          ? anonymous
          : await options.authenticate
              .authenticate(request.headers.authorization, address)
              .catch(async (error: unknown) => {
                const isUnknown = error instanceof Problem && error.code === 'unauthenticated';
                if (endpoint.endsReused && isUnknown) await endIfReused(options.services, request);
                throw error;
              });
      limits.take(principal, address, ({ remaining, waitSeconds }) => {
        reply
          .header('ratelimit', `"default";r=${remaining};t=${Math.ceil(waitSeconds)}`)
          .header('ratelimit-policy', limits.policy);
      });
      const scope = authorize(principal, access, endpoint.effect);
      request.caller = { principal, scope, visible: visibleTo(principal) };
    },
    handler: async (request, reply) => {
      if (!request.caller) throw new Error('The request was not authorized.');
      const answer = await run(endpoint, request, request.caller);
      if (endpoint.effect === 'session') expectToken(options, answer.body);
      if (endpoint.deprecated) addDeprecation(reply, endpoint.deprecated);
      reply.headers(answer.headers);
      if (
        answer.headers.etag !== undefined &&
        isKnown(request.headers['if-none-match'], answer.headers.etag) &&
        (request.method === 'GET' || request.method === 'HEAD')
      ) {
        return reply.code(304).send();
      }
      if (answer.stream) return sendStream(endpoint, request, reply, answer.stream);
      return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.body);
    },
  });
}

async function endIfReused(services: ServerOptions['services'], request: FastifyRequest): Promise<void> {
  const token = /^Bearer +(vigil_session_[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const origin = { requestId: request.id, address: request.ip };
  if (token !== undefined) await endReusedSession(services, { hash: hashToken(token) }, origin);
}

function expectToken({ authenticate }: ServerOptions, body: string): void {
  const { token }: { token?: unknown } = JSON.parse(body);
  if (typeof token === 'string') authenticate.expect(token);
}

/** Time for a slow reader to take what was sent before it is cut off. */
const drainMs = 2000;

function sendStream(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces, cut, onEnd = () => {} }: Stream,
): FastifyReply {
  const { raw } = reply;
  raw.once('close', onEnd);
  // The client may be gone already, and then no event follows.
  if (raw.destroyed || raw.closed) onEnd();
  cut?.addEventListener('abort', () => setTimeout(() => raw.destroy(), drainMs).unref());
  // Whoever asks for the head alone must not be kept waiting for the end of a stream that has none.
  const events =
    request.method === 'HEAD' ? '' : Readable.from(pieces, { objectMode: true, highWaterMark: 1 });
  return reply
    .code(endpoint.status ?? 200)
    .header('connection', 'close')
    .type(`${endpoint.isLines ? 'application/x-ndjson' : 'text/event-stream'}; charset=utf-8`)
    .send(events);
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag) ?? false;
}

/** 405 with the methods that the path has, else 404. */
function noSuchRoute(request: FastifyRequest, methodsOf: (path: string) => string[]): Problem {
  const methods = methodsOf(request.url.replace(/\?.*$/s, ''));
  if (methods.length === 0) return new Problem('unknown-path', 'There is no such path.');
  return new Problem('method-not-allowed', `${request.method} is not a method of this path.`, {
    allow: methods.join(', '),
  });
}

/** A plain OPTIONS lists the methods of the path. */
function answerOptions(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  for (const url of new Set(endpoints.map(routeOf))) {
    const methods = endpoints
      .filter((endpoint) => routeOf(endpoint) === url)
      .map((endpoint) => endpoint.method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.route({
      method: 'OPTIONS',
      url,
      handler: async (_request, reply) => reply.header('allow', allow).code(204).send(),
    });
  }
}

/** Without these `GET /project/search` would be read as `GET /project/{id}`. */
function refuseShadowed(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  methodsOf: (path: string) => string[],
): void {
  const literal = new Set(endpoints.map(routeOf).filter((url) => !url.includes(':')));
  for (const url of literal) {
    const last = url.slice(0, url.lastIndexOf('/'));
    const shadowed = endpoints.filter((endpoint) => routeOf(endpoint) === `${last}/:id`);
    const methods = shadowed.map(({ method }) => method).filter((method) => !methodsOf(url).includes(method));
    if (methods.length === 0) continue;
    const refuse = async (request: FastifyRequest): Promise<never> => {
      throw noSuchRoute(request, methodsOf);
    };
    app.route({ method: methods, url, config: { isRefusal: true }, onRequest: refuse, handler: refuse });
  }
}

function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined;
      return request.caller?.principal === anonymous ? readAnonymousJson(body) : readJson(body);
    },
  );
}

function readRequestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:/+=-]{1,128}$/.test(given) ? given : randomUUID();
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblemReply(error, request.id);
  if (problem.isFault)
    request.log.error({ requestId: request.id, err: error }, 'A request failed unexpectedly');
  else if (problem.status === 503)
    request.log.warn({ requestId: request.id, err: error }, 'A request could not be served');
  return reply.code(problem.status).headers(problem.headers).send(problem.body);
}
