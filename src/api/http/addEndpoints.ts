import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashToken } from '../../lib/token.ts';
import { Problem } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import { endReusedSession } from '../../services/accounts/sessions.ts';
import { accessOf } from './access.ts';
import { authorize, visibleTo } from './authorize.ts';
import { anonymous, type Caller, isAnonymous } from './caller.ts';
import type { Arrivals } from './createArrivals.ts';
import { createBodyReader } from './createBodyReader.ts';
import { createImportTurns } from './createImportTurns.ts';
import { createPasswordGuard } from './createPasswordGuard.ts';
import type { RequestLimits } from './createRequestLimits.ts';
import { createRequestShares } from './createRequestShares.ts';
import type { Endpoint, FileBody } from './endpoint.ts';
import { isCurrent } from './etag.ts';
import { addDeprecation } from './headers.ts';
import { routeOf } from './route.ts';
import { type Answer, readInput, runEndpoint } from './runEndpoint.ts';
import { sendStream } from './sendStream.ts';
import type { ServerOptions } from './serverOptions.ts';
import { readSessionCookie, type SessionCookie, toDeviceCookie, toSetCookie } from './sessionCookie.ts';
import { addressKey } from './trustedProxies.ts';

const sweepMs = 60_000;

/** Every endpoint as a route: limit, authenticate and authorize; then check the input, take a share and run. */
export function addEndpoints(
  app: FastifyInstance,
  options: ServerOptions,
  limits: RequestLimits,
  arrivals: Arrivals,
): void {
  const gates = createGates(app, options, limits, arrivals);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', gates.bodies.read);
  for (const endpoint of options.endpoints) {
    if (endpoint.file) addFileRoute(app, endpoint, endpoint.file, options, gates);
    else addRoute(app, endpoint, options, gates);
  }
}

/** In a scope of its own, because no other endpoint takes anything but JSON. */
function addFileRoute(
  app: FastifyInstance,
  endpoint: Endpoint,
  { read }: FileBody<unknown>,
  options: ServerOptions,
  gates: Gates,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (_request: FastifyRequest, body: IncomingMessage) =>
      // The connection must outlive a file that is refused before its end.
      read(body.iterator({ destroyOnReturn: false })),
    );
    addRoute(scope, endpoint, options, gates);
  });
}

function addRoute(app: FastifyInstance, endpoint: Endpoint, options: ServerOptions, gates: Gates): void {
  const url = routeOf(endpoint);
  app.route({
    method: endpoint.method,
    url,
    // Before the body is read: a caller without a token costs a look-up and no more.
    onRequest: async (request, reply) => {
      request.route = url;
      request.endpoint = endpoint;
      request.caller = await admit(endpoint, options, gates, request, reply);
      if (endpoint.isImport) request.importTurn = await gates.imports.begin(request, reply);
    },
    handler: async (request, reply) => {
      if (!request.caller) throw new Error('The request was not authorized.');
      const { caller, importTurn } = request;
      const work = () => run(endpoint, options, gates, request, caller);
      const answer = await gates.track(importTurn ? importTurn.spend(work) : work());
      if (answer.newToken !== undefined) options.authenticate.trustNew(answer.newToken);
      if (answer.cookie !== undefined) setCookie(options, request, reply, answer.cookie);
      return send(endpoint, request, reply, answer);
    },
  });
}

type Gates = ReturnType<typeof createGates>;

/** Limits on the requests of all endpoints together. */
function createGates(
  app: FastifyInstance,
  { services, authenticate }: ServerOptions,
  limits: RequestLimits,
  arrivals: Arrivals,
) {
  const bodies = createBodyReader(arrivals);
  const passwords = createPasswordGuard(services.now);
  const sweep = () => {
    limits.sweep();
    authenticate.sweep();
    passwords.sweep();
    bodies.sweep();
  };
  const sweeper = setInterval(sweep, sweepMs).unref();
  const running = new Set<Promise<unknown>>();
  app.addHook('onClose', async () => {
    clearInterval(sweeper);
    // A client that has left no longer holds the server open, but its request still uses the store.
    await Promise.allSettled(running);
  });
  return {
    limits,
    passwords,
    bodies,
    async track<T>(work: Promise<T>): Promise<T> {
      running.add(work);
      try {
        return await work;
      } finally {
        running.delete(work);
      }
    },
    shares: createRequestShares(),
    imports: createImportTurns(arrivals),
  };
}

async function admit(
  endpoint: Endpoint,
  options: ServerOptions,
  { limits }: Gates,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const access = accessOf(endpoint);
  const address = addressKey(request.ip);
  const hasCookie = access !== 'public' && request.headers.authorization === undefined;
  const token = hasCookie ? readSessionCookie(request, isSecure(options, request)) : undefined;
  const authorization = token === undefined ? request.headers.authorization : `Bearer ${token}`;
  const principal =
    access === 'public'
      ? anonymous
      : await authenticate(endpoint, options, limits, request, authorization, address);
  limits.take(principal, address, ({ remaining, waitSeconds }) => {
    reply
      .header('ratelimit', `"default";r=${remaining};t=${Math.ceil(waitSeconds)}`)
      .header('ratelimit-policy', limits.policy);
  });
  const scope = authorize(principal, access, endpoint.effect);
  const visible = visibleTo(principal);
  return { principal, scope, visible, authorization, hasCookie: token !== undefined };
}

async function authenticate(
  endpoint: Endpoint,
  options: ServerOptions,
  limits: RequestLimits,
  request: FastifyRequest,
  authorization: string | undefined,
  address: string,
): Promise<Principal> {
  try {
    return await options.authenticate.authenticate(authorization, address);
  } catch (error) {
    const isUnknown = error instanceof Problem && error.code === 'unauthenticated';
    const tooMany = isUnknown ? limits.takeOpen(address, false) : undefined;
    if (tooMany) throw tooMany;
    if (endpoint.endsReused && isUnknown) await endIfReused(options.services, request);
    throw error;
  }
}

async function endIfReused(services: ServerOptions['services'], request: FastifyRequest): Promise<void> {
  const token = /^Bearer +(vigil_session_[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const origin = { requestId: request.id, address: request.ip };
  if (token !== undefined) await endReusedSession(services, { hash: hashToken(token) }, origin);
}

/** Behind TLS, whether Vigil knows it from a proxy or from its own address. */
function isSecure({ services }: ServerOptions, request: FastifyRequest): boolean {
  return request.protocol === 'https' || services.publicUrl().startsWith('https:');
}

function setCookie(
  options: ServerOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: SessionCookie,
): void {
  const callerToken = request.caller?.authorization?.replace(/^Bearer +/i, '') ?? '';
  const { token = callerToken, expiredAt } = cookie ?? { token: '', expiredAt: 0 };
  const now = options.services.now();
  const isOverTls = isSecure(options, request);
  const session = toSetCookie({ token, expiredAt }, isOverTls, now);
  const { device } = cookie ?? {};
  reply.header('set-cookie', device ? [session, toDeviceCookie(device, isOverTls, now)] : session);
}

function run(
  endpoint: Endpoint,
  { services }: ServerOptions,
  { shares, passwords }: Gates,
  request: FastifyRequest,
  caller: Caller,
): Promise<Answer> {
  const { principal } = caller;
  const worker = principal.tenantId === null ? undefined : services.store.workerOf?.(principal.tenantId);
  const input = readInput(endpoint, request);
  const work = () => runEndpoint(endpoint, services, caller, request, input);
  // Sessions have connections of their own.
  const share = <T>(part: () => Promise<T>) =>
    shares.run(endpoint, principal.tenantId, isAnonymous(principal), part, worker);
  const runShared = async () => {
    const answer = await (endpoint.effect === 'session' ? work() : share(work));
    const { stream } = answer;
    return stream?.isShared
      ? { ...answer, stream: { ...stream, pieces: eachItem(stream.pieces, share) } }
      : answer;
  };
  if (!endpoint.password) return runShared();
  const origin = { ip: addressKey(request.ip), principal };
  return passwords.run(endpoint.password, origin, input.body, runShared);
}

/** Computes each piece within a share, so that a slow reader holds none. */
async function* eachItem<T>(
  pieces: AsyncIterable<T>,
  share: (part: () => Promise<IteratorResult<T>>) => Promise<IteratorResult<T>>,
): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await share(() => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

function send(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body, stream }: Answer,
): FastifyReply {
  if (endpoint.deprecated) addDeprecation(reply, endpoint.deprecated);
  reply.headers(headers);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && isCurrent(request.headers['if-none-match'], headers.etag)) return reply.code(304).send();
  if (stream) return sendStream(endpoint, request, reply, stream);
  reply.code(status).type('application/json; charset=utf-8');
  if (typeof body === 'string') return reply.send(body);
  reply.header(
    'content-length',
    body.reduce((sum, { length }) => sum + length, 0),
  );
  return reply.send(Readable.from(body, { objectMode: false }));
}
