import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../store/db.ts';
import { acquireLease, releaseLease } from '../store/watch/cursor.ts';

/** How long a process that died keeps its chain, and how often a live one renews its lease. */
const leaseMs = 6000;
const renewMs = 2000;

type Options = {
  db: Db;
  chainUid: string;
  holder: string;
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
  holder,
  isNeeded,
  run,
  onError,
  signal,
}: Options): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      if ((await isNeeded()) && (await acquireLease(db, chainUid, holder, leaseMs))) await runWhileHeld();
      failures = 0;
    } catch (error) {
      failures++;
      onError(error);
    }
    await pause(failures === 0 ? 1000 : Math.min(10_000, 250 * 2 ** failures));
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
    while (!ending.signal.aborted) {
      await pause(renewMs, ending.signal);
      if (ending.signal.aborted) return;
      const requestedAt = performance.now();
      try {
        if (await acquireLease(db, chainUid, holder, leaseMs)) heldUntil = requestedAt + leaseMs;
        else ending.abort();
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
