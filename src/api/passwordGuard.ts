import { createFairQueue } from '../lib/fairQueue.ts';
import { createTokenBucket } from '../lib/tokenBucket.ts';
import { Problem } from '../model/errors.ts';

/** Each takes a processor for a tenth of a second and holds a connection, of both of which most must be left to others. */
const atOnce = 2;
const mostWaiting = 20;
const perAddress = { perSecond: 10, burst: 100 };
/** Also for an address that nobody has, so that no answer tells which ones there are. */
const perEmail = { perSecond: 1, burst: 30 };

/** Keeps those who guess passwords slow, and those who send many from taking the whole process. */
export function createPasswordGuard(now: () => number) {
  const addresses = createTokenBucket(perAddress, now);
  const emails = createTokenBucket(perEmail, now);
  // Two lines: whoever is logged in can change a password while others guess.
  const lines = {
    check: createFairQueue({ slots: atOnce, waitingPerKey: mostWaiting, full: tooMany }),
    set: createFairQueue({ slots: atOnce, waitingPerKey: mostWaiting, full: tooMany }),
  };

  function take(bucket: typeof addresses, key: string): void {
    const { waitSeconds } = bucket.take(key);
    if (waitSeconds === 0) return;
    throw new Problem('rate-limited', 'Too many attempts to log in; wait before the next one.', {
      retryAfterSeconds: waitSeconds,
    });
  }

  return {
    /** Runs a request whose checked body has, or may have, a password. */
    run<T>(use: 'check' | 'set', ip: string, body: unknown, work: () => Promise<T>): Promise<T> {
      const { email, password } = body as { email?: string; password?: string | null };
      if (password == null) return work();
      if (use === 'check') {
        take(addresses, ip);
        take(emails, String(email).toLowerCase());
      }
      return lines[use].run('', work);
    },
    sweep(): void {
      addresses.sweep();
      emails.sweep();
    },
  };
}

function tooMany(): Problem {
  return new Problem('unavailable', 'Too many passwords are being worked on; try again in a moment.', {
    retryAfterSeconds: 2,
  });
}
