import { waitForNews } from '../lib/waitForNews.ts';
import type { Db } from '../store/db.ts';
import type { Presence } from '../store/watch/openPresence.ts';
import { claimStandBy, confirmStandBy, renewStandBys } from '../store/watch/standBys.ts';
import type { Prepared } from './spreadLeases.ts';

const intervalMs = 2000;

/** What this process has read of chains that others follow. */
export type StandBySets = {
  /** The chains that it stands by for. */
  uids(): string[];
  /** Those that it has followed until a moment ago. */
  formerUids(): string[];
  /** Reads what is watched on a chain, unless it is there. */
  add(chainUid: string): Promise<Prepared & { contractsRead: number }>;
  drop(chainUid: string): void;
  /** Reads what changed, which is everything when notifications were lost, and rests after each chain. */
  refresh(rest: (startedAt: number) => Promise<void>): Promise<void>;
};

type Options = {
  db: Db;
  presence: Pick<Presence, 'holder' | 'isHeld'>;
  /** Those that this process can follow. */
  chainUids: () => readonly string[];
  sets: StandBySets;
  /** Resolves when no chain waits to be followed by this process. */
  idle: () => Promise<void>;
  onReady: (chainUid: string, reading: { contractsRead: number; readMs: number }) => void;
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/**
 * Stands by for chains of other processes: what is watched on them is read, one chain after the other with a rest as long as the
 * reading took, and kept up to date, so that this process can go on with them at once. A process that has followed a chain and handed it
 * over stands by for it without reading anything.
 */
export async function keepStandBys(options: Options): Promise<void> {
  const { db, presence, chainUids, sets, idle, onReady, onError, signal } = options;
  const { holder } = presence;
  await Promise.all([repeat(renew), repeat(claimNext)]);

  async function repeat(work: () => Promise<number>): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = intervalMs;
      try {
        pauseMs = await work();
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      await waitForNews(pauseMs, signal);
    }
  }

  async function renew(): Promise<number> {
    const uids = sets.uids();
    const own = uids.length > 0 ? await renewStandBys(db, uids, holder) : new Set();
    for (const chainUid of uids) if (!own.has(chainUid)) sets.drop(chainUid);
    return intervalMs;
  }

  /** Returns how long to rest. */
  async function claimNext(): Promise<number> {
    await sets.refresh((startedAt) => waitForNews(performance.now() - startedAt, signal));
    await idle();
    // The end of a process without a presence would not be noticed, and others would wait for it.
    if (signal.aborted || !presence.isHeld()) return intervalMs;
    const claim = { process: holder, chainUids: chainUids(), readyUids: sets.formerUids() };
    const chainUid = await claimStandBy(db, claim);
    if (chainUid === undefined) return intervalMs;
    const startedAt = performance.now();
    const prepared = await sets.add(chainUid);
    const readMs = Math.round(performance.now() - startedAt);
    if (await confirmStandBy(db, chainUid, holder))
      onReady(chainUid, { contractsRead: prepared.contractsRead, readMs });
    else prepared.drop();
    return readMs;
  }
}
