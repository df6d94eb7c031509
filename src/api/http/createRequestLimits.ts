import { createTokenBucket } from '../../lib/createTokenBucket.ts';
import { Problem } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';

type Rate = { perSecond: number; burst: number };
type Taken = { remaining: number; waitSeconds: number };

/** A user may have several tokens and a tenant many users; both get more than one token, but not without end. */
const userTokens = 2;
const tenantTokens = 5;
/** A page of the console is many files, and people behind one address open it at once. */
const strangerTokens = 2;

const times = ({ perSecond, burst }: Rate, factor: number): Rate => ({
  perSecond: perSecond * factor,
  burst: burst * factor,
});

export type RequestLimits = ReturnType<typeof createRequestLimits>;

/**
 * Requests by token, by user and by tenant, and by address without a token. A tenant beyond its share uses what the
 * others leave of the spare share.
 */
export function createRequestLimits(rate: Rate, now: () => number) {
  const callers = createTokenBucket(rate, now);
  const users = createTokenBucket(times(rate, userTokens), now);
  const tenants = createTokenBucket(times(rate, tenantTokens), now);
  const spare = createTokenBucket(times(rate, tenantTokens), now);
  const openRate = times(rate, strangerTokens);
  /** Apart from each other, so that no one's reading makes a probe fail behind the same address. */
  const strangers = createTokenBucket(openRate, now);
  const probes = createTokenBucket(openRate, now);

  function takeOfTenant(tenantId: number): Taken {
    const taken = tenants.take(tenantId);
    return taken.waitSeconds === 0 || spare.take('').waitSeconds > 0 ? taken : { ...taken, waitSeconds: 0 };
  }

  function faultOf({ waitSeconds }: Taken, who: string, { perSecond }: Rate): Problem | undefined {
    if (waitSeconds === 0) return undefined;
    return new Problem('rate-limited', `More than ${perSecond} requests a second ${who}.`, {
      retryAfterSeconds: waitSeconds,
    });
  }

  function check(taken: Taken, who: string, limit: Rate): void {
    const fault = faultOf(taken, who, limit);
    if (fault) throw fault;
  }

  return {
    policy: `"default";q=${rate.burst};w=${Math.ceil(rate.burst / rate.perSecond)}`,
    /** Counts a request; `report` gets what is left before anything is refused. */
    take({ tokenId, userId, tenantId }: Principal, address: string, report: (taken: Taken) => void): void {
      // A token by its id, which is a number; anyone without one by address.
      const allowance = callers.take(tokenId || address);
      report(allowance);
      check(allowance, tokenId ? 'with this token' : 'from this address', rate);
      if (userId !== null) check(users.take(userId), 'of this user', times(rate, userTokens));
      if (tenantId !== null) check(takeOfTenant(tenantId), 'of this tenant', times(rate, tenantTokens));
    },
    /** Counts what is answered without a token and is no endpoint: pages, documents, probes and refusals; the problem if there are too many. */
    takeOpen: (address: string, isProbe: boolean): Problem | undefined =>
      faultOf((isProbe ? probes : strangers).take(address), 'without a token from this address', openRate),
    sweep(): void {
      for (const bucket of [callers, users, tenants, spare, strangers, probes]) bucket.sweep();
    },
  };
}
