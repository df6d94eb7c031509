import { hash } from 'node:crypto';
import { hashToken } from '../lib/token.ts';
import { Problem } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import type { Db } from '../store/db.ts';
import { findPrincipal } from '../store/tokens.ts';

/** Short enough that a revoked token, a changed role or a disabled tenant takes effect in under a second. */
const rememberMs = 500;
const rememberAtMost = 10_000;

export type Authenticate = ReturnType<typeof createAuthenticate>;

/** Finds who stands behind a bearer token, asking the store at most twice a second for the same token. */
export function createAuthenticate(db: Db, now: () => number) {
  const known = new Map<string, { principal: Promise<Principal | undefined>; at: number }>();

  async function authenticate(authorization: string | undefined): Promise<Principal> {
    const token = readBearer(authorization);
    // The token itself is not to be remembered.
    const key = hash('sha256', token, 'base64');
    const at = now();
    let entry = known.get(key);
    if (!entry || at - entry.at >= rememberMs || at < entry.at) {
      if (known.size >= rememberAtMost) known.clear();
      entry = { principal: findPrincipal(db, hashToken(token), at), at };
      known.set(key, entry);
      entry.principal.catch(() => known.delete(key));
    }
    const principal = await entry.principal;
    if (!principal) throw new Problem('unauthenticated', 'The token is unknown, expired or revoked.');
    return principal;
  }

  return { authenticate, forget: () => known.clear() };
}

function readBearer(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new Problem('unauthenticated', 'The Authorization header is missing.');
  const match = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization);
  if (!match) {
    throw new Problem(
      'unauthenticated',
      'The Authorization header must be the word Bearer, a space and a token.',
    );
  }
  return match[1]!;
}
