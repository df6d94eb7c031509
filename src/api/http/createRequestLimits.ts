import { createTokenBucket } from '../../lib/createTokenBucket.ts';
import { Problem } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';

type Rate = { perSecond: number; burst: number };
type Taken = { remaining: number; waitSeconds: number };

/** A user may have several tokens and a tenant many users; both get more than one token, but not without end. */
const userTokens = 2;
const tenantTokens = 5;

const times = ({ perSecond, burst }: Rate, factor: number): Rate => ({
  perSecond: perSecond * factor,
  burst: burst * factor,
});

/**
 * Requests by token, by user and by tenant, and by address without a token. A tenant beyond its share uses what the
 * others leave of the spare share.
 */
export function createRequestLimits(rate: Rate, now: () => number) {
  const callers = createTokenBucket(rate, now);
  const users = createTokenBucket(times(rate, userTokens), now);
  const tenants = createTokenBucket(times(rate, tenantTokens), now);
  const spare = createTokenBucket(times(rate, tenantTokens), now);

  function takeOfTenant(tenantId: number): Taken {
    const taken = tenants.take(tenantId);
    return taken.waitSeconds === 0 || spare.take('').waitSeconds > 0 ? taken : { ...taken, waitSeconds: 0 };
  }

  function check({ waitSeconds }: Taken, who: string, { perSecond }: Rate): void {
    if (waitSeconds === 0) return;
    throw new Problem('rate-limited', `More than ${perSecond} requests a second ${who}.`, {
      retryAfterSeconds: waitSeconds,
    });
  }

  return {
    policy: `"default";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`,
    /** Counts a request; `report` gets what is left before anything is refused. */
    take({ tokenId, userId, tenantId }: Principal, address: string, report: (taken: Taken) => void): void {
      // A token by its id, which is a number; anyone without one by address.
      const own = callers.take(tokenId || address);
      report(own);
      check(own, tokenId ? 'with this token' : 'from this address', rate);
      if (userId !== null) check(users.take(userId), 'of this user', times(rate, userTokens));
      if (tenantId !== null) check(takeOfTenant(tenantId), 'of this tenant', times(rate, tenantTokens));
    },
    sweep(): void {
      for (const bucket of [callers, users, tenants, spare]) bucket.sweep();
    },
  };
}
