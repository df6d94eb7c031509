import { getChain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { zip } from '../../lib/zip.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import type { Block, BlockFrames, Transaction } from '../../model/block.ts';
import type { Funding } from '../../model/detection.ts';
import { followedFunding } from '../../model/followedFunding.ts';
import type { Db } from '../../store/db/db.ts';
import { listLabelledAddresses } from '../../store/labels/findLabels.ts';
import {
  deleteFundedAbove,
  deleteFundedBefore,
  deleteFundedExcept,
  type FundedAddress,
  insertFunded,
  listFunded,
} from '../../store/watch/funding.ts';
import { findSuspects, type Sources, traceFunding, traceInnerFunding } from './traceFunding.ts';

export type FundingTracker = ReturnType<typeof createFundingTracker>;

const { windowMs } = followedFunding;
const purgeIntervalMs = 3_600_000;
/** Bridges alone can fund millions of addresses in the window; older ones stay in the store, but hops from them are not followed. */
const maxInMemory = 200_000;

/** Follows money from labelled sources on one chain; without labelled sources it costs nothing. */
export function createFundingTracker(chainUid: string) {
  let sources: Sources = new Map();
  /** The nearest funding of each address, oldest first. */
  const funded = createBoundedMap<string, FundedAddress>(maxInMemory);
  let areLabelsStale = true;
  let isFundedStale = true;
  let purgedAt = 0;

  async function readLabels(db: Db): Promise<void> {
    areLabelsStale = false;
    try {
      const before = sources;
      sources = await readSources(db, chainUid);
      // A removed label must no longer accuse anyone.
      const isRemoved = isFundedStale || [...before.keys()].some((address) => !sources.has(address));
      if (!isRemoved) return;
      isFundedStale = true;
      await deleteFundedExcept(db, chainUid, [...sources.keys()]);
    } catch (error) {
      areLabelsStale = true;
      throw error;
    }
  }

  async function readFunded(db: Db): Promise<void> {
    const nearest = new Map<string, FundedAddress>();
    const rows = sources.size === 0 ? [] : await listFunded(db, chainUid, maxInMemory);
    for (const row of rows) {
      const nearer = nearest.get(row.address);
      if (!nearer || row.hops < nearer.hops) nearest.set(row.address, row);
    }
    funded.clear();
    for (const [address, row] of [...nearest].reverse()) funded.set(address, row);
    isFundedStale = false;
  }

  return {
    /** Takes a message of the channel; undefined: anything may have changed. */
    onNotify(message: string | undefined): void {
      if (message === undefined || message === 'labels') areLabelsStale = true;
    },
    /** Called when the stored data may differ from the cached. */
    invalidate(): void {
      isFundedStale = true;
    },
    /** Reads the sources and the addresses they funded, if these may have changed. */
    async refresh(db: Db): Promise<void> {
      if (areLabelsStale) await readLabels(db);
      if (isFundedStale) await readFunded(db);
    },
    /** The addresses that a block funds; they are in memory from now on, so the caller must write them or invalidate. */
    trace(block: Block): FundedAddress[] {
      const rows = traceFunding(block, sources, funded);
      for (const row of rows) funded.set(row.address, row);
      return rows;
    },
    /** Transactions that only a trace explains. */
    suspects: (block: Block): Transaction[] => findSuspects(block, sources),
    /** The addresses that sources pay within the transactions of a block; as with `trace`, the caller must add them or invalidate. */
    traceInner(block: Block, frames: BlockFrames): FundedAddress[] {
      const rows = traceInnerFunding(block, frames, sources, funded);
      for (const row of rows) funded.set(row.address, row);
      return rows;
    },
    add: (tx: Db, rows: readonly FundedAddress[]): Promise<void> => insertFunded(tx, chainUid, rows),
    /** Writes the addresses that blocks funded; `at` is the time of the last block. */
    async write(tx: Db, rows: readonly FundedAddress[], at: number): Promise<void> {
      await insertFunded(tx, chainUid, rows);
      if (sources.size === 0 || at < purgedAt + purgeIntervalMs) return;
      purgedAt = at;
      await deleteFundedBefore(tx, chainUid, at - windowMs);
      for (const [address, { timestamp }] of funded) if (timestamp < at - windowMs) funded.delete(address);
    },
    /** Undoes the blocks above this one. */
    async rewind(tx: Db, above: number): Promise<void> {
      isFundedStale = true;
      await deleteFundedAbove(tx, chainUid, above);
    },
    /** Adds what is traced and not yet written to the results of funding reads, which come from the store. */
    withUnwritten(fetch: Fetch): Fetch {
      return async (requests, pace) => {
        const results = await fetch(requests, pace);
        return zip(requests, results).map(([request, result]) => {
          if (request.type !== 'funding') return result;
          const row = funded.get(request.address);
          const stored = result as Funding | null;
          return row && (!stored || row.hops <= stored.hops) ? row : stored;
        });
      };
    },
  };
}

/** Only labels of the platform: one tenant's labels must not show in the findings of another. */
async function readSources(db: Db, chainUid: string): Promise<Sources> {
  const labels = await listLabelledAddresses(db, { chainUid, tags: followedFunding.tags });
  const sources = new Map<string, readonly string[]>();
  const { canonical } = toChainFacts(getChain(chainUid));
  for (const { address: shown, tags, tenantId } of labels) {
    const address = canonical(shown);
    if (tenantId === null) sources.set(address, [...new Set([...(sources.get(address) ?? []), ...tags])]);
  }
  return sources;
}
