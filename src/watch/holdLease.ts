import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../store/db.ts';
import { acquireLease, releaseLease } from '../store/watch/cursor.ts';
import type { Presence } from '../store/watch/openPresence.ts';

/** How long a process that cannot be reached keeps its chain, and how often a live one renews its lease. */
const leaseMs = 6000;
const renewMs = 2000;
const pollMs = 1000;
/** A database that fails over is back within seconds, and its chains should be followed soon after. */
const maxPauseMs = 4000;

type Options = {
  db: Db;
  chainUid: string;
  presence: Pick<Presence, 'holder' | 'isHeld' | 'onLease'>;
  /** Whether anything on the chain is watched. */
  isNeeded: () => Promise<boolean>;
  /** Follows the chain until the signal, which is aborted when the lease is lost. */
  run: (signal: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/** Waits for the lease of a chain, runs while it is held, and starts again after every end or failure. */
export async function holdLease({
  db,
  chainUid,
  presence,
  isNeeded,
  run,
  onError,
  signal,
}: Options): Promise<void> {
  const { holder } = presence;
  const acquire = () => acquireLease(db, chainUid, { holder, isPresent: presence.isHeld() }, leaseMs);
  let failures = 0;
  while (!signal.aborted) {
    try {
      if ((await isNeeded()) && (await acquire())) await runWhileHeld();
      failures = 0;
    } catch (error) {
      failures++;
      onError(error);
    }
    if (failures === 0) await untilNews(pollMs, signal);
    else await pause(Math.min(maxPauseMs, 250 * 2 ** failures));
  }

  /** Waits until the lease was released or asked for, at most this long. */
  async function untilNews(ms: number, until: AbortSignal): Promise<void> {
    const waking = new AbortController();
    const unsubscribe = presence.onLease(chainUid, () => waking.abort());
    await pause(ms, AbortSignal.any([until, waking.signal]));
    unsubscribe();
  }

  async function runWhileHeld(): Promise<void> {
    const ending = new AbortController();
    const ended = AbortSignal.any([signal, ending.signal]);
    const renewing = renew(ending);
    try {
      await run(ended);
    } finally {
      ending.abort();
      await renewing;
      await releaseLease(db, chainUid, holder);
    }
  }

  /** Stops the run before the lease ends, so that two processes never follow one chain; the store refuses a late writer anyway. */
  async function renew(ending: AbortController): Promise<void> {
    let heldUntil = performance.now() + leaseMs;
    // The first lease is mostly acquired a moment before the presence is.
    for (let ms = renewMs / 10; !ending.signal.aborted; ms = renewMs) {
      await untilNews(ms, ending.signal);
      if (ending.signal.aborted) return;
      const requestedAt = performance.now();
      try {
        const lease = await acquire();
        heldUntil = requestedAt + leaseMs;
        if (!lease || lease.isWanted) ending.abort();
      } catch (error) {
        onError(error);
        if (performance.now() > heldUntil - renewMs) ending.abort();
      }
    }
  }

  async function pause(ms: number, until: AbortSignal = signal): Promise<void> {
    await sleep(ms, undefined, { signal: until }).catch(() => undefined);
  }
}
