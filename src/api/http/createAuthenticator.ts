import { hash } from 'node:crypto';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { createTokenBucket } from '../../lib/createTokenBucket.ts';
import { hashToken } from '../../lib/token.ts';
import { Problem } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import { findPrincipal } from '../../store/accounts/tokens.ts';
import type { Db } from '../../store/db/db.ts';

/** A token that was good this long ago may be looked up again whatever else comes from its address. */
const trustMs = 3_600_000;
const maxTrusted = 50_000;
/** The share of its requests that may come from one address with unknown tokens; beyond it none is looked up. */
const unknownShare = { perSecond: 1 / 20, burst: 1 / 6 };

/** Short enough that a revoked token, a changed role or a disabled tenant takes effect in under a second. */
const cacheMs = 500;
const maxCached = 10_000;

export type Authenticator = ReturnType<typeof createAuthenticator>;

/** Finds the principal of a bearer token; reads the store at most twice a second for the same token. */
export function createAuthenticator(
  db: Db,
  now: () => number,
  rateLimit: { perSecond: number; burst: number },
) {
  const cached = createBoundedMap<string, { principal: Promise<Principal | undefined>; at: number }>(
    maxCached,
  );
  /** Tokens that were good, and when. */
  const trusted = createBoundedMap<string, number>(maxTrusted);
  const guesses = createTokenBucket(
    {
      perSecond: rateLimit.perSecond * unknownShare.perSecond,
      burst: Math.max(1, rateLimit.burst * unknownShare.burst),
    },
    now,
  );

  async function authenticate(authorization: string | undefined, address: string): Promise<Principal> {
    const token = readBearer(authorization);
    const key = keyOf(token);
    const time = now();
    let entry = cached.get(key);
    if (!entry || time - entry.at >= cacheMs || time < entry.at) {
      const isTrusted = time - (trusted.get(key) ?? Number.NEGATIVE_INFINITY) < trustMs;
      if (!isTrusted) refuseGuessing(address);
      entry = { principal: findPrincipal(db, hashToken(token), time), at: time };
      cached.set(key, entry);
      entry.principal.catch(() => cached.delete(key));
    }
    const principal = await entry.principal;
    if (!principal) {
      trusted.delete(key);
      guesses.take(address);
      throw new Problem('unauthenticated', 'The token is unknown, expired or revoked.');
    }
    trusted.set(key, time);
    return principal;
  }

  /** Looks without taking: only a token that turns out to be unknown counts. */
  function refuseGuessing(address: string): void {
    const { waitSeconds } = guesses.peek(address);
    if (waitSeconds === 0) return;
    throw new Problem(
      'rate-limited',
      'Too many requests with unknown tokens came from this address; wait, then send a valid token.',
      {
        retryAfterSeconds: waitSeconds,
      },
    );
  }

  return {
    authenticate,
    /** A token that was just made is good, whatever else comes from its user's address. */
    trustNew(token: string): void {
      trusted.set(keyOf(token), now());
    },
    clearCache: () => cached.clear(),
    sweep: () => guesses.sweep(),
  };
}

/** The token itself is not kept in memory. */
function keyOf(token: string): string {
  return hash('sha256', token, 'base64');
}

function readBearer(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new Problem(
      'unauthenticated',
      'The Authorization header is missing: send `Authorization: Bearer <token>`.',
    );
  const match = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization);
  if (match?.[1] === undefined) {
    throw new Problem(
      'unauthenticated',
      'The Authorization header must be the word Bearer, a space and a token.',
    );
  }
  return match[1];
}
