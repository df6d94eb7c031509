import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { invalid, Problem, unprocessable } from '../../model/errors.ts';
import { membersWith } from '../../model/schema.ts';
import { takeNames } from '../../model/takeNames.ts';
import { validate } from '../../model/validate.ts';
import type { Call, SecurityEvent, Services } from '../../services/call.ts';
import { writeSecurityEvents } from '../../services/records/auditSecurityEvent.ts';
import type { Db } from '../../store/db/db.ts';
import { findReply, saveReply, tryLockKey } from '../../store/records/idempotency.ts';
import { type Endpoint, type Input, isBodyOptional, type Stream } from './endpoint.ts';
import { etagOf } from './etag.ts';
import { handleOrHold } from './holdForApproval.ts';
import { refuseUnstorable } from './readJson.ts';
import { isFromConsole, readDeviceCookie, type SessionCookie } from './sessionCookie.ts';

type Request = Pick<FastifyRequest, 'id' | 'ip' | 'params' | 'query' | 'body' | 'headers' | 'caller'>;
type Checked = Input<unknown, unknown, unknown>;
export type Answer = {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer[];
  isSecret?: boolean;
  newToken?: string;
  cookie?: SessionCookie;
  stream?: Stream;
};

/** Runs the endpoint on what was read of the request: reads on the pool, everything else in one transaction. */
export async function runEndpoint(
  endpoint: Endpoint,
  services: Services,
  { principal, scope, visible }: Pick<Call, 'principal' | 'scope' | 'visible'>,
  request: Request,
  input: Checked,
): Promise<Answer> {
  const now = services.now();
  let securityEvents: SecurityEvent[] = [];
  let areTokensStale = false;
  let areChainsStale = false;
  /** A token read before the commit is cached as it was, so the cache is cleared again after it. */
  const invalidateTokens = () => {
    areTokensStale = true;
    services.invalidateTokens();
  };
  const callOn = (db: Db): Call => {
    // A transaction that is retried records them again.
    securityEvents = [];
    const { id: requestId, ip: address } = request;
    return { services, db, principal, scope, visible, address, requestId, now, securityEvents, warnings: [] };
  };
  const writer = `tenant ${principal.tenantId}`;
  try {
    if (endpoint.effect === 'read')
      return (
        (await answerFromReplica(endpoint, callOn(services.store), input, writer)) ??
        (await answer(endpoint, callOn(services.store), input))
      );
    if (['batches', 'send'].includes(endpoint.effect))
      return await answer(endpoint, callOn(services.store), input);
    const key = endpoint.effect === 'create' ? readKey(request.headers['idempotency-key']) : undefined;
    const store = endpoint.effect === 'session' ? services.logins : services.store;
    return await store.transaction((tx) => {
      const reloadChains = async () => {
        areChainsStale = true;
      };
      const requestServices: Services = { ...services, invalidateTokens, reloadChains };
      const call = { ...callOn(tx), services: requestServices };
      return key === undefined ? answer(endpoint, call, input) : answerOnce(endpoint, call, input, key);
    });
  } finally {
    if (endpoint.effect !== 'read') services.replicas?.noteWrite(writer);
    if (areTokensStale) services.invalidateTokens();
    if (areChainsStale) await services.reloadChains();
    if (securityEvents.length > 0) await writeSecurityEvents(services, request, securityEvents, now);
  }
}

/** The answer of a replica, with its age; undefined where the primary has to answer. */
async function answerFromReplica(
  endpoint: Endpoint,
  call: Call,
  input: Checked,
  writer: string,
): Promise<Answer | undefined> {
  const replica = endpoint.isReport ? call.services.replicas?.choose(writer) : undefined;
  if (!replica) return undefined;
  try {
    const services = { ...call.services, reports: replica.store };
    const { headers, ...rest } = await answer(endpoint, { ...call, services }, input);
    return { ...rest, headers: { ...headers, 'x-data-age-ms': String(replica.ageMs()) } };
  } catch (error) {
    // A fault of the request stays one; what fails on the replica alone does not concern the caller.
    if (error instanceof Problem && error.code !== 'unavailable') throw error;
    return undefined;
  }
}

/** Checks the request against the endpoint's schemas. */
export function readInput(endpoint: Endpoint, request: Request): Checked {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, accept } = request.headers;
  const lastEventId = request.headers['last-event-id']?.toString();
  const pagerSignature = request.headers['x-pagerduty-signature']?.toString();
  const input: Checked = {
    params: fromText(endpoint.params, request.params),
    query: fromText(endpoint.query, request.query),
    body: endpoint.file ? undefined : request.body,
    file: endpoint.file ? request.body : undefined,
    headers: { ifMatch, ifNoneMatch, lastEventId, accept, pagerSignature },
    isFromConsole: isFromConsole(request),
    hasCookie: request.caller?.hasCookie ?? false,
    device: readDeviceCookie(request),
  };
  if (endpoint.params) validate(endpoint.params, input.params, '/path');
  validate(endpoint.query ?? noMembers, input.query, '/query');
  refuseUnstorable(input.params, '/path');
  refuseUnstorable(input.query, '/query');
  if (endpoint.file && input.file === undefined)
    throw unprocessable('', 'missing', 'The body is missing: send the file itself.');
  if (endpoint.body && input.body === undefined) {
    if (isBodyOptional(endpoint)) input.body = {};
    else throw new Problem('malformed-json', 'The body is missing: this endpoint takes a JSON object.');
  }
  if (endpoint.body) {
    const body = endpoint.quickBody ?? endpoint.body;
    validate(body, input.body, '', endpoint.reserved);
    if (!endpoint.takesNames) takeNames(body, input.body);
  }
  return input;
}

const noMembers: TSchema = { type: 'object', additionalProperties: false };

/** Paths and query strings are text; where the schema wants a number, text that is one becomes it. */
function fromText(schema: TSchema | undefined, values: unknown): unknown {
  if (typeof values !== 'object' || values === null || !schema) return values;
  const converted: Record<string, unknown> = { ...values };
  for (const name of integerMembers(schema)) {
    const text = converted[name];
    if (typeof text === 'string' && /^-?\d{1,100}$/.test(text)) converted[name] = Number(text);
  }
  return converted;
}

const integers = new WeakMap<TSchema, string[]>();

function integerMembers(schema: TSchema): string[] {
  let names = integers.get(schema);
  if (!names) {
    names = membersWith(schema, 'type', 'integer');
    integers.set(schema, names);
  }
  return names;
}

function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw invalid('/headers/idempotency-key', 'format', 'must have 1 to 255 visible ASCII characters.');
}

async function answer(endpoint: Endpoint, call: Call, input: Checked): Promise<Answer> {
  const outcome = await handleOrHold(endpoint, call, input);
  if ('approval' in outcome) {
    const headers = { location: `/api/v1/approval/${String(outcome.approval.id)}` };
    return { status: 202, headers, body: JSON.stringify(outcome.approval) };
  }
  const { reply } = outcome;
  const text = JSON.stringify(reply.body);
  const headers = { ...reply.headers };
  if (call.warnings.length > 0) headers.warning = call.warnings.map(toWarning).join(', ');
  if (reply.etagOf !== undefined)
    headers.etag = etagOf(reply.etagOf === reply.body ? text : JSON.stringify(reply.etagOf));
  return {
    status: endpoint.status ?? 200,
    headers,
    body: reply.json ?? text,
    ...(reply.isSecret ? { isSecret: true } : {}),
    ...(reply.newToken === undefined ? {} : { newToken: reply.newToken }),
    ...(reply.cookie === undefined ? {} : { cookie: reply.cookie }),
    ...(reply.stream ? { stream: reply.stream } : {}),
  };
}

/** The first request with a key does the work and leaves its reply, in the same transaction; the others get that reply. */
async function answerOnce(endpoint: Endpoint, call: Call, input: Checked, key: string): Promise<Answer> {
  const { keyring } = call.services;
  const { tenantId, tokenId } = call.principal;
  const owner = tenantId === null ? 'platform' : `tenant ${tenantId}`;
  const secretOwner = { tenantId, kind: 'idempotency key', id: key, member: 'reply' };
  const requestHash = createHash('sha256')
    .update(`${endpoint.method} ${endpoint.path} ${JSON.stringify([input.params, input.query, input.body])}`)
    .digest();
  await holdKey(call.db, owner, key);
  const stored = await findReply(call.db, owner, key, call.now);
  if (stored) {
    if (!stored.requestHash.equals(requestHash)) {
      throw new Problem('idempotency-mismatch', 'This Idempotency-Key was sent before with another request.');
    }
    const first: Answer & { tokenId?: number } = JSON.parse(
      await keyring.unseal(secretOwner, stored.sealedReply),
    );
    if (first.isSecret && first.tokenId !== tokenId)
      throw new Problem(
        'idempotency-mismatch',
        'This Idempotency-Key was sent before by another token, and the reply has a secret that only that token may read ' +
          'again. The request was carried out; it is not repeated.',
      );
    return { ...first, headers: { ...first.headers, 'idempotency-replayed': 'true' } };
  }
  const reply = await answer(endpoint, call, input);
  const sealedReply = keyring.seal(secretOwner, JSON.stringify({ ...reply, tokenId }));
  await saveReply(call.db, owner, key, { requestHash, sealedReply }, call.now);
  return reply;
}

async function holdKey(db: Db, owner: string, key: string): Promise<void> {
  if (await tryLockKey(db, owner, key)) return;
  throw new Problem('idempotency-in-flight', 'A request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  });
}

/** A header carries ASCII alone; a warning may quote a script or a name. */
function toWarning(text: string): string {
  return `299 vigil ${JSON.stringify(
    text
      .replace(/\s+/g, ' ')
      .replace(/[^ -~]/g, '?')
      .slice(0, maxWarningLength),
  )}`;
}

const maxWarningLength = 1000;
