import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import { createTokenBucket } from '../../lib/createTokenBucket.ts';
import { createTurnPacer } from '../../lib/eventLoop.ts';
import { Problem } from '../../model/errors.ts';
import { isAnonymous, shareOf } from './caller.ts';
import type { Arrivals } from './createArrivals.ts';
import type { Endpoint } from './endpoint.ts';
import { anonymousBytes, readAnonymousJson, readJson, readLongJson } from './readJson.ts';

const bodyLimit = 1024 * 1024;

/** Above this a body waits for a turn: what it costs is more than that of an ordinary request. */
const turnBytes = 16 * 1024;
/** Above this a body is read in slices. */
const longBytes = 256 * 1024;
const atOnce = 2;
const mayWait = 100;
/** Of large bodies, for each tenant; one that is larger is paid for afterwards. */
const rate = { perSecond: 4 * 1024 * 1024, burst: 2 * 1024 * 1024 };
/** Longest parsing within one turn of the event loop. */
const sliceMs = 10;

/** Receives and parses bodies: a large one in its tenant's turn, a few at once and so many bytes a second. */
export function createBodyReader(arrivals: Arrivals) {
  const turns = createFairQueue({
    slots: Number.POSITIVE_INFINITY,
    slotsPerKey: atOnce,
    waitingPerKey: mayWait,
    full: () =>
      new Problem(
        'rate-limited',
        `${mayWait} large bodies of the tenant are waiting already; wait for their answers before sending more.`,
        { limit: mayWait, count: mayWait, retryAfterSeconds: 2 },
      ),
  });
  const bytes = createTokenBucket(rate, () => performance.now());
  const pace = createTurnPacer(sliceMs);

  /** The JSON of a request whose caller is known. */
  async function read(request: FastifyRequest, payload: Readable): Promise<unknown> {
    const { caller, endpoint, headers, raw } = request;
    if (!caller || !endpoint) throw new Error('The request was not authorized.');
    const limit = isAnonymous(caller.principal) ? anonymousBytes : (endpoint.bodyLimit ?? bodyLimit);
    const announced = Number(headers['content-length'] ?? Number.NaN);
    if (announced > limit) throw tooLarge(limit);
    // A compressed or chunked body may be of any size.
    if (announced <= turnBytes && headers['content-encoding'] === undefined)
      return parse(request, await receive(payload, limit));
    const key = isAnonymous(caller.principal) ? `address ${request.ip}` : shareOf(caller.principal);
    arrivals.hold(raw);
    payload.on('error', () => {});
    return turns.run(key, async () => {
      for (let wait = bytes.peek(key); wait.waitSeconds > 0; wait = bytes.peek(key))
        await sleep(1000 * wait.waitSeconds);
      arrivals.receive(raw);
      const body = await receive(payload, limit).catch((error: unknown) => {
        bytes.spend(key, limit);
        throw error;
      });
      bytes.spend(key, body.length);
      await pace();
      return parse(request, body);
    });
  }

  return { read, sweep: bytes.sweep };
}

function receive(payload: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A payload that broke while it waited emits no further error.
    if (payload.errored) reject(payload.errored);
    const pieces: Buffer[] = [];
    let length = 0;
    payload.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length <= limit) pieces.push(piece);
      else reject(tooLarge(limit));
    });
    payload.on('end', () => resolve(Buffer.concat(pieces, length)));
    payload.on('error', reject);
    // A decompressing stream waits to be read.
    payload.resume();
  });
}

function parse({ caller, endpoint }: FastifyRequest, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (caller && isAnonymous(caller.principal)) return readAnonymousJson(body);
  const bodyMembers = endpoint ? membersOf(endpoint) : undefined;
  return body.length > longBytes ? readLongJson(body, bodyMembers) : readJson(body, bodyMembers);
}

function tooLarge(limit: number): Problem {
  return new Problem(
    'too-large',
    `The body is larger than this endpoint takes, which is ${limit / 1024} KiB${limit === anonymousBytes ? ' without a token' : ''}.`,
  );
}

const members = new WeakMap<Endpoint, ReadonlySet<string> | undefined>();

/** The names that the body may have, where it may have no other. */
function membersOf(endpoint: Endpoint): ReadonlySet<string> | undefined {
  if (!members.has(endpoint)) {
    const { body, reserved = [] } = endpoint;
    const isClosed = body && 'properties' in body && Reflect.get(body, 'additionalProperties') === false;
    members.set(
      endpoint,
      isClosed ? new Set([...Object.keys(Object(body.properties)), ...reserved]) : undefined,
    );
  }
  return members.get(endpoint);
}
