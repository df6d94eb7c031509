import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../model/errors.ts';
import type { Principal, Scope } from '../../model/principal.ts';
import type { Call } from '../../services/call.ts';
import { findPrincipalsById } from '../../store/accounts/tokens.ts';
import type { Access } from './access.ts';
import { authorize } from './authorize.ts';

/** Short enough that a revoked token or a changed role takes effect in under a second, as for any request. */
const everyMs = 500;

type Watched = { call: Call; end: () => void };

/** Ends what goes on longer than a request once its token opens something else than it did; asks for all at once. */
export function createScopeWatch(access: Access) {
  const open = new Set<Watched>();
  let isWaiting = false;

  async function poll(): Promise<void> {
    const watched = [...open];
    const [first] = watched;
    if (!first) return;
    const { logins, now } = first.call.services;
    const ids = new Set(watched.map(({ call }) => call.principal.tokenId));
    const found = await findPrincipalsById(logins, [...ids], now());
    const principals = new Map(found.map((principal) => [principal.tokenId, principal]));
    for (const { call, end } of watched) {
      const scope = scopeOf(principals.get(call.principal.tokenId), access);
      if (!isDeepStrictEqual(scope, call.scope)) end();
    }
  }

  async function checkAndRepeat(): Promise<void> {
    await poll().catch(endUnlessUnavailable);
    if (open.size > 0) lookLater();
    else isWaiting = false;
  }

  function lookLater(): void {
    isWaiting = true;
    setTimeout(() => void checkAndRepeat(), everyMs).unref();
  }

  /** An unavailable store has no events either, and is read again; a stream that cannot be checked for another reason ends. */
  function endUnlessUnavailable(error: unknown): void {
    if (error instanceof Problem && error.code === 'unavailable') return;
    for (const { end } of open) end();
  }

  /** Returns how to give up watching. */
  return (call: Call, end: () => void): (() => void) => {
    const entry = { call, end };
    open.add(entry);
    if (!isWaiting) lookLater();
    return () => open.delete(entry);
  };
}

function scopeOf(principal: Principal | undefined, access: Access): Scope | undefined {
  try {
    return principal && authorize(principal, access, 'read');
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
