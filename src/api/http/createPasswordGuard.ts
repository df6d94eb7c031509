import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import { createTokenBucket } from '../../lib/createTokenBucket.ts';
import { membersOf } from '../../lib/isRecord.ts';
import { normalizeMailAddress } from '../../lib/mailAddress.ts';
import { Problem } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';

/** Each takes a processor for a tenth of a second and holds a connection, of both of which most must be left to others. */
const atOnce = 2;
const maxWaiting = 20;
const perAddress = { perSecond: 10, burst: 100 };
/** Every address has a small share of its own for each e-mail address, which no one elsewhere can use up. */
const perPair = { perSecond: 1 / 60, burst: 5 };
/** Further limits. They also apply to unknown addresses, so that no answer reveals which exist. */
const perEmail = { perSecond: 1, burst: 30 };
const perUser = { perSecond: 1 / 10, burst: 10 };
/** For how long, and for how many, an address counts as one from which the user has logged in. */
const knownForMs = 30 * 24 * 3_600_000;
const maxKnown = 50_000;

type Caller = { ip: string; principal: Principal };

/**
 * Slows guessers down and bounds floods. Users log in during an attack: addresses take turns, guessers use up no other
 * share, and an address of the user's earlier login has its own queue.
 */
export function createPasswordGuard(now: () => number) {
  const addresses = createTokenBucket(perAddress, now);
  const pairs = createTokenBucket(perPair, now);
  const knownPairs = createTokenBucket(perPair, now);
  const emails = createTokenBucket(perEmail, now);
  const users = createTokenBucket(perUser, now);
  const buckets = [addresses, pairs, knownPairs, emails, users];
  const logins = createBoundedMap<string, number>(maxKnown);
  const line = (slots: number) => createFairQueue({ slots, waitingPerKey: maxWaiting, full: tooMany });
  // Lines of their own: users who are logged in can change a password while others guess.
  const lines = { check: line(atOnce), known: line(1), set: line(atOnce) };

  function take(bucket: typeof addresses, key: string | number): void {
    const { waitSeconds } = bucket.take(key);
    if (waitSeconds === 0) return;
    throw new Problem('rate-limited', 'Too many attempts to log in; wait before the next one.', {
      retryAfterSeconds: waitSeconds,
    });
  }

  async function check<T>(ip: string, email: string, work: () => Promise<T>): Promise<T> {
    const pair = `${ip} ${email}`;
    const isKnown = now() - (logins.get(pair) ?? Number.NEGATIVE_INFINITY) < knownForMs;
    const isFirst = isKnown && knownPairs.take(pair).waitSeconds === 0;
    if (!isFirst) {
      take(addresses, ip);
      if (pairs.take(pair).waitSeconds > 0) take(emails, email);
    }
    const done = await lines[isFirst ? 'known' : 'check'].run(ip, work);
    logins.set(pair, now());
    return done;
  }

  return {
    /** Runs a request whose checked body has, or may have, a password. */
    run<T>(
      use: 'check' | 'set' | 'change',
      { ip, principal }: Caller,
      body: unknown,
      work: () => Promise<T>,
    ): Promise<T> {
      const { email, password } = membersOf(body);
      if (use === 'check') return check(ip, normalizeMailAddress(String(email)), work);
      if (use === 'change') take(users, principal.userId ?? ip);
      else if (password == null) return work();
      return lines.set.run(principal.tokenId === 0 ? ip : `tenant ${principal.tenantId}`, work);
    },
    sweep(): void {
      for (const bucket of buckets) bucket.sweep();
    },
  };
}

function tooMany(): Problem {
  return new Problem(
    'unavailable',
    'The server is checking as many passwords as it can; try again in a moment.',
    {
      retryAfterSeconds: 2,
    },
  );
}
