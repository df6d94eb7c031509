import type { Mutex } from '../../lib/createMutex.ts';
import { waitForNews } from '../../lib/waitForNews.ts';
import type { Db } from '../../store/db/db.ts';
import { acquireLease, leaseMs, releaseLease } from '../../store/watch/leases.ts';
import type { Presence } from '../../store/watch/openPresence.ts';

/** Interval at which a live process renews its lease. */
const renewMs = 2000;
const pollMs = 500;
/** A database that fails over is back within seconds, and its chains should be followed soon after. */
const maxPauseMs = 4000;

type Options = {
  db: Db;
  chainUid: string;
  presence: Pick<Presence, 'holder' | 'isHeld' | 'onLease'>;
  /** True if no other process held the chain a moment ago; the same read serves all chains of the process. */
  isFree: () => Promise<boolean>;
  /** True if anything on the chain is watched. */
  isNeeded: () => Promise<boolean>;
  /** True if everything that following needs has been read already. */
  isPrepared: () => boolean;
  /**
   * Shared by all chains of the process: a chain is acquired only when the one before has read what it needs. So
   * processes that start together share the chains.
   */
  starting: Mutex;
  /** Follows the chain until the signal, which is aborted when the lease is lost. Calls back when it has read what it needs. */
  run: (signal: AbortSignal, onStarted: () => void) => Promise<void>;
  onError: (error: unknown) => void;
  /** From then on it is not acquired again; a run goes on until another process is ready for the chain. */
  leaving: AbortSignal;
  signal: AbortSignal;
};

/** Waits for the lease of a chain, runs while it is held, and starts again after every end or failure. */
export async function holdLease({
  db,
  chainUid,
  presence,
  isFree,
  isNeeded,
  isPrepared,
  starting,
  run,
  onError,
  leaving,
  signal,
}: Options): Promise<void> {
  const { holder } = presence;
  const acquire = () => acquireLease(db, chainUid, { holder, isPresent: presence.isHeld() });
  let failures = 0;
  let isNotified = false;
  const ending = AbortSignal.any([leaving, signal]);
  while (!ending.aborted) {
    try {
      const isNews = isNotified;
      isNotified = false;
      if ((isNews || (await isFree())) && (await isNeeded())) await acquireAndRun();
      failures = 0;
    } catch (error) {
      failures++;
      onError(error);
    }
    if (failures === 0) await untilNews(pollMs, ending);
    else await waitForNews(Math.min(maxPauseMs, 250 * 2 ** failures), ending);
  }

  /** Waits until the lease was released or asked for, at most this long. */
  function untilNews(ms: number, until: AbortSignal): Promise<void> {
    return waitForNews(ms, until, (wake) =>
      presence.onLease(chainUid, () => {
        isNotified = true;
        wake();
      }),
    );
  }

  async function acquireAndRun(): Promise<void> {
    if (isPrepared()) {
      if (await acquire()) await runWhileHeld(() => undefined);
      return;
    }
    let running: Promise<void> | undefined;
    await starting.runExclusive(async () => {
      if (ending.aborted || !(await acquire())) return;
      await new Promise<void>((onStarted) => {
        running = runWhileHeld(onStarted).finally(onStarted);
      });
    });
    await running;
  }

  async function runWhileHeld(onStarted: () => void): Promise<void> {
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    const renewing = renew(over);
    try {
      await run(ended, onStarted);
    } finally {
      over.abort();
      await renewing;
      await releaseLease(db, chainUid, holder);
    }
  }

  /** Stops the run before the lease ends, so that two processes never follow one chain; the store refuses a late writer anyway. */
  async function renew(over: AbortController): Promise<void> {
    let heldUntil = performance.now() + leaseMs;
    // The first lease is mostly acquired a moment before the presence is.
    for (let ms = renewMs / 10; !over.signal.aborted; ms = renewMs) {
      await untilNews(ms, over.signal);
      if (over.signal.aborted) return;
      const requestedAt = performance.now();
      try {
        const lease = await acquire();
        heldUntil = requestedAt + leaseMs;
        if (!lease || lease.isWanted) over.abort();
      } catch (error) {
        onError(error);
        if (performance.now() > heldUntil - renewMs) over.abort();
      }
    }
  }
}
