import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../store/db.ts';
import { requestLease } from '../store/watch/cursor.ts';

const intervalMs = 1000;

type Options = {
  db: Db;
  holder: string;
  /** Those that this process can follow. */
  chainUids: () => readonly string[];
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/**
 * Asks for one chain after the other of the process that follows most, until none follows two more than this one. Only the
 * process that has less asks, so that chains settle and stay.
 */
export async function spreadLeases({ db, holder, chainUids, onError, signal }: Options): Promise<void> {
  while (!signal.aborted) {
    await requestLease(db, chainUids(), holder).catch(onError);
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
}
