import { createMutex } from '../../lib/createMutex.ts';
import { waitForNews } from '../../lib/waitForNews.ts';
import type { Db } from '../../store/db/db.ts';
import { acceptOffers, offerMessage } from '../../store/watch/leases.ts';
import type { Presence } from '../../store/watch/openPresence.ts';
import { claimStandBy, confirmStandBy, renewStandBys } from '../../store/watch/standBys.ts';
import type { PreparedChain } from './spreadLeases.ts';

const intervalMs = 2000;
/** Between two chains that it takes. */
const betweenMs = 100;

/** The watch sets that this process keeps of chains that others follow. */
export type StandBySets = {
  /** The chains that it stands by for, and those among them that it has read. */
  uids(): string[];
  readyUids(): string[];
  /** Those that it has followed until a moment ago. */
  formerUids(): string[];
  /** Frees those that it has followed and does not stand by for by now. */
  dropFormer(): void;
  /** Reads what is watched on a chain, unless it is there. */
  add(chainUid: string): Promise<PreparedChain & { contractsRead: number }>;
  drop(chainUid: string): void;
  /** Time until an unneeded chain may be read after chains have just come or gone. */
  settlingMs(): number;
  /** Reads what changed, which is everything when notifications were lost. */
  refresh(): Promise<void>;
};

type Options = {
  db: Db;
  presence: Pick<Presence, 'holder' | 'isHeld' | 'onLease'>;
  /** Those that this process can follow. */
  chainUids: () => readonly string[];
  sets: StandBySets;
  /** True if another process follows a chain, by which this one could stand. */
  othersFollow: () => boolean;
  /** Resolves when no chain waits to be followed by this process. */
  idle: () => Promise<void>;
  onReady: (chainUid: string, reading: { contractsRead: number; readMs: number }) => void;
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/**
 * Stands by for chains of other processes: reads their watch lists one by one and keeps them current, so this process
 * can take over at once. A handed-over chain needs no new read.
 */
export async function keepStandBys(options: Options): Promise<void> {
  const { db, presence, chainUids, sets, othersFollow, idle, onReady, onError, signal } = options;
  const { holder } = presence;
  const claiming = createMutex();
  // It has to answer at once, whatever it reads.
  const unsubscribe = presence.onLease(offerMessage, () => void accept().catch(onError));
  await Promise.all([repeat(renew), repeat(claimFormer), repeat(readNext)]);
  unsubscribe();

  /** The holders of these chains stop, and follow them until this process has said that it is there. */
  async function accept(): Promise<void> {
    const uids = sets.readyUids();
    if (uids.length > 0 && !signal.aborted) await acceptOffers(db, uids, holder);
  }

  /** `work` returns how long to pause. */
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
    const renewed = uids.length > 0 ? await renewStandBys(db, uids, holder) : new Set();
    for (const chainUid of uids) if (!renewed.has(chainUid)) sets.drop(chainUid);
    return intervalMs;
  }

  /** These are read already, so that they need not wait for one that is being read. */
  async function claimFormer(): Promise<number> {
    while (sets.formerUids().length > 0 && (await claim(sets.formerUids, sets.formerUids)));
    sets.dropFormer();
    return intervalMs;
  }

  async function readNext(): Promise<number> {
    await sets.refresh();
    await idle();
    const settlingMs = sets.settlingMs();
    if (settlingMs > 0) return Math.min(settlingMs, intervalMs);
    return othersFollow() && (await claim(chainUids, () => [])) ? betweenMs : intervalMs;
  }

  async function claim(uids: () => readonly string[], readyUids: () => readonly string[]): Promise<boolean> {
    // One at a time: what was followed until a moment ago would otherwise be claimed for both reasons.
    const claimed = await claiming.runExclusive(async () => {
      // The end of a process without a presence would not be noticed, and others would wait for it.
      if (signal.aborted || !presence.isHeld()) return undefined;
      const claim = { process: holder, chainUids: uids(), readyUids: readyUids() };
      const chainUid = await claimStandBy(db, claim);
      if (chainUid === undefined) return undefined;
      return { chainUid, startedAt: performance.now(), adding: sets.add(chainUid) };
    });
    if (!claimed) return false;
    const { chainUid, startedAt, adding } = claimed;
    const prepared = await adding;
    const readMs = Math.round(performance.now() - startedAt);
    if (await confirmStandBy(db, chainUid, holder))
      onReady(chainUid, { contractsRead: prepared.contractsRead, readMs });
    else prepared.drop();
    return true;
  }
}
