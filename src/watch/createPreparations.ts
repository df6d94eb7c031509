import { waitForNews } from '../lib/waitForNews.ts';
import type { Store } from '../store/db/db.ts';
import type { StandBySets } from './leases/keepStandBys.ts';
import type { PreparedChain } from './leases/spreadLeases.ts';
import type { WatchSet } from './watchChain.ts';

/** The chain is being handed over, this process stands by for it, or has followed it until a moment ago. */
type Reason = 'handover' | 'standBy' | 'former';
type Entry = {
  readonly watchSet: WatchSet;
  readonly reasons: Set<Reason>;
  readonly since: number;
  readonly taken: Promise<void>;
  readonly onTaken: () => void;
  /** Rest after each page that is read, as a multiple of the time that the page took. */
  restFactor: number;
  /** Ends a rest, because the chain is waited for by now. */
  onHurry: () => void;
  isReady: boolean;
};
type Options = {
  store: Store;
  open: (chainUid: string) => WatchSet;
  /** False for what was read for a chain whose facts are others now. */
  isCurrent?: (watchSet: WatchSet) => boolean;
  signal: AbortSignal;
};

/** Within this time a process that followed a chain has become its stand-by, or has not. */
const maxFormerMs = 5000;

/**
 * Followed blocks come before reading ahead. A chain that no one waits for takes a quarter of the time, one to be
 * spread half of it, and one of a stopping holder all.
 */
const restFactors = { standBy: 3, handover: 1, offer: 0 };
/** Bounds what a chain of many pages takes. */
const maxRestMs = 500;

/**
 * Pause per contract after a chain has come or gone, because a restarted process needs the processor to read the next
 * chains. About four times what reading takes.
 */
const settlingMsPerContract = 0.2;
const maxSettlingMs = 10_000;

/** The watch sets of chains that other processes follow; reading ends with the signal. */
export function createPreparations({ store, open, isCurrent = () => true, signal }: Options) {
  const entries = new Map<string, Entry>();
  /** Chains that this process follows: there is nothing to prepare. */
  const followed = new Set<string>();
  let settledAt = 0;

  function unsettle({ watchList }: WatchSet): void {
    const ms = Math.min(watchList.contractCount() * settlingMsPerContract, maxSettlingMs);
    settledAt = Math.max(settledAt, performance.now() + ms);
  }

  function enter(chainUid: string, watchSet: WatchSet, isReady: boolean): Entry {
    let onTaken = () => {};
    const taken = new Promise<void>((resolve) => {
      onTaken = resolve;
    });
    const entry: Entry = {
      watchSet,
      reasons: new Set(),
      since: performance.now(),
      taken,
      onTaken,
      restFactor: restFactors.standBy,
      onHurry: () => {},
      isReady,
    };
    entries.set(chainUid, entry);
    return entry;
  }

  /** Frees what is there for no other reason. */
  function drop(chainUid: string, reason: Reason, entry = entries.get(chainUid)): void {
    entry?.reasons.delete(reason);
    if (!entry || entry.reasons.size > 0 || entries.get(chainUid) !== entry) return;
    entries.delete(chainUid);
    entry.watchSet.close();
  }

  function refresh(entry: Entry): Promise<number> {
    const rest = (startedAt: number) => {
      const ms = entry.restFactor * (performance.now() - startedAt);
      return waitForNews(Math.min(ms, maxRestMs), signal, (wake) => {
        entry.onHurry = wake;
        return () => {
          entry.onHurry = () => {};
        };
      });
    };
    return entry.watchSet.watchList.refresh(store, { isAhead: true, rest, signal });
  }

  function hurry(entry: Entry, restFactor: number): void {
    if (restFactor >= entry.restFactor) return;
    entry.restFactor = restFactor;
    entry.onHurry();
  }

  const has = (chainUid: string) => entries.get(chainUid)?.isReady === true;
  const uids = (reason: Reason) =>
    [...entries].filter(([, { reasons }]) => reasons.has(reason)).map(([chainUid]) => chainUid);

  async function add(
    chainUid: string,
    reason: Reason,
    restFactor: number,
  ): Promise<PreparedChain & { contractsRead: number }> {
    if (followed.has(chainUid)) return { taken: Promise.resolve(), drop: () => {}, contractsRead: 0 };
    const entry = entries.get(chainUid) ?? enter(chainUid, open(chainUid), false);
    entry.reasons.add(reason);
    if (reason === 'standBy') entry.reasons.delete('former');
    hurry(entry, restFactor);
    let contractsRead: number;
    try {
      contractsRead = await refresh(entry);
      // Reads the changes since; everything, when notifications were not received from the beginning.
      contractsRead += await refresh(entry);
    } catch (error) {
      drop(chainUid, reason, entry);
      throw error;
    }
    entry.isReady = true;
    entry.restFactor = restFactors.standBy;
    return { taken: entry.taken, drop: () => drop(chainUid, reason, entry), contractsRead };
  }

  const standBys: StandBySets = {
    uids: () => uids('standBy'),
    readyUids: () => uids('standBy').filter(has),
    formerUids: () => uids('former'),
    add: (chainUid) => add(chainUid, 'standBy', restFactors.standBy),
    drop: (chainUid) => drop(chainUid, 'standBy'),
    dropFormer() {
      const before = performance.now() - maxFormerMs;
      for (const [chainUid, entry] of entries) if (entry.since < before) drop(chainUid, 'former', entry);
    },
    settlingMs: () => Math.max(0, settledAt - performance.now()),
    async refresh() {
      for (const entry of entries.values()) if (entry.isReady) await refresh(entry);
    },
  };

  return {
    standBys,
    /** `isOffered`: its holder waits for it to stop. */
    prepare: (chainUid: string, isOffered: boolean) =>
      add(chainUid, 'handover', isOffered ? restFactors.offer : restFactors.handover),
    has,
    /** For following the chain, which `giveBack` ends. It may not be read yet. */
    take(chainUid: string): WatchSet {
      const entry = entries.get(chainUid);
      entries.delete(chainUid);
      followed.add(chainUid);
      if (entry) {
        hurry(entry, 0);
        entry.onTaken();
        unsettle(entry.watchSet);
      }
      if (entry && isCurrent(entry.watchSet)) return entry.watchSet;
      entry?.watchSet.close();
      return open(chainUid);
    },
    /** Takes what following ended with, for standing by for the chain from now on; undefined: nothing of use. */
    giveBack(chainUid: string, watchSet: WatchSet | undefined): void {
      followed.delete(chainUid);
      if (!watchSet) return;
      enter(chainUid, watchSet, true).reasons.add('former');
      unsettle(watchSet);
    },
    close(): void {
      for (const { watchSet } of entries.values()) watchSet.close();
      entries.clear();
    },
  };
}
