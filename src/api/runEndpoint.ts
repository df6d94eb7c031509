import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { invalid, Problem } from '../model/errors.ts';
import type { Call } from '../services/call.ts';
import type { Db } from '../store/db.ts';
import { findReply, saveReply, tryLockKey } from '../store/idempotency.ts';
import type { Endpoint, Input } from './endpoint.ts';
import { etagOf } from './resource.ts';
import { validate } from './validate.ts';

export type Answer = { status: number; headers: Record<string, string>; body: string };

/** Checks the request against the endpoint's schemas and runs it: reads on the pool, everything else in one transaction. */
export async function runEndpoint(
  endpoint: Endpoint,
  call: Omit<Call, 'db'>,
  request: Pick<FastifyRequest, 'params' | 'query' | 'body' | 'headers'>,
): Promise<Answer> {
  const input = readInput(endpoint, request);
  const { store } = call.services;
  if (endpoint.effect === 'read') return answer(endpoint, { ...call, db: store }, input);
  const key = endpoint.effect === 'create' ? readKey(request.headers['idempotency-key']) : undefined;
  return store.transaction((db) => {
    const inside = { ...call, db };
    return key === undefined ? answer(endpoint, inside, input) : answerOnce(endpoint, inside, input, key);
  });
}

function readInput(
  endpoint: Endpoint,
  request: Pick<FastifyRequest, 'params' | 'query' | 'body' | 'headers'>,
) {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  const input: Input<unknown, unknown, unknown> = {
    params: fromText(endpoint.params, request.params),
    query: fromText(endpoint.query, request.query),
    body: request.body,
    headers: { ifMatch, ifNoneMatch },
  };
  if (endpoint.params) validate(endpoint.params, input.params, '/path');
  validate(endpoint.query ?? noMembers, input.query, '/query');
  if (endpoint.body && input.body === undefined) {
    if (isBodyOptional(endpoint.body)) input.body = {};
    else throw new Problem('malformed-json', 'The body is missing: this endpoint takes a JSON object.');
  }
  if (endpoint.body) validate(endpoint.body, input.body, '', endpoint.reserved);
  return input;
}

const noMembers: TSchema = { type: 'object', additionalProperties: false };

/** A search without a body is a search without conditions. */
function isBodyOptional(schema: TSchema): boolean {
  return 'required' in schema && Array.isArray(schema.required) && schema.required.length === 0;
}

/** Paths and query strings are text; where the schema wants a number, text that is one becomes it. */
function fromText(schema: TSchema | undefined, values: unknown): unknown {
  if (typeof values !== 'object' || values === null || !schema || !('properties' in schema)) return values;
  const properties = Object.entries(schema.properties as Record<string, { type?: unknown }>);
  const converted: Record<string, unknown> = { ...values };
  for (const [name, { type }] of properties) {
    const text = converted[name];
    if (type === 'integer' && typeof text === 'string' && /^\d{1,16}$/.test(text))
      converted[name] = Number(text);
  }
  return converted;
}

function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw invalid('/headers/idempotency-key', 'format', 'must have 1 to 255 visible ASCII characters.');
}

async function answer(
  endpoint: Endpoint,
  call: Call,
  input: Input<unknown, unknown, unknown>,
): Promise<Answer> {
  const reply = await endpoint.handle(call, input);
  return {
    status: endpoint.status ?? 200,
    headers: { ...reply.headers, ...(reply.etagOf === undefined ? {} : { etag: etagOf(reply.etagOf) }) },
    body: JSON.stringify(reply.body),
  };
}

/** The first request with a key does the work and leaves its reply, in the same transaction; the others get that reply. */
async function answerOnce(
  endpoint: Endpoint,
  call: Call,
  input: Input<unknown, unknown, unknown>,
  key: string,
): Promise<Answer> {
  const { keyring } = call.services;
  const { tenantId } = call.principal;
  const owner = tenantId === null ? 'platform' : `tenant ${tenantId}`;
  const place = { tenantId, kind: 'idempotency key', id: key, member: 'reply' };
  const requestHash = createHash('sha256')
    .update(`${endpoint.method} ${endpoint.path} ${JSON.stringify([input.params, input.query, input.body])}`)
    .digest();
  await holdKey(call.db, owner, key);
  const stored = await findReply(call.db, owner, key, call.now);
  if (stored) {
    if (!stored.requestHash.equals(requestHash)) {
      throw new Problem('idempotency-mismatch', 'This Idempotency-Key was sent before with another request.');
    }
    const first: Answer = JSON.parse(await keyring.unseal(place, stored.sealedReply));
    return { ...first, headers: { ...first.headers, 'idempotency-replayed': 'true' } };
  }
  const reply = await answer(endpoint, call, input);
  const sealedReply = keyring.seal(place, JSON.stringify(reply));
  await saveReply(call.db, owner, key, { requestHash, sealedReply }, call.now);
  return reply;
}

async function holdKey(db: Db, owner: string, key: string): Promise<void> {
  if (await tryLockKey(db, owner, key)) return;
  throw new Problem('idempotency-in-flight', 'A request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 1,
  });
}
