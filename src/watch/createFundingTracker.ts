import type { Fetch } from '../matching/createReadCache.ts';
import type { Block } from '../model/block.ts';
import type { Funding } from '../model/detection.ts';
import { followedFunding } from '../model/followedFunding.ts';
import type { Db } from '../store/db.ts';
import { listLabelledAddresses } from '../store/labels/findLabels.ts';
import {
  deleteFundedAbove,
  deleteFundedBefore,
  deleteFundedExcept,
  type FundedAddress,
  insertFunded,
  listFunded,
} from '../store/watch/funding.ts';
import { type Sources, traceFunding } from './traceFunding.ts';

export type FundingTracker = ReturnType<typeof createFundingTracker>;

const { windowMs } = followedFunding;
const purgeIntervalMs = 3_600_000;
/** Of bridges alone there can be millions in the window; older ones stay in the store and are only not hopped over. */
const maxInMemory = 200_000;

/** Follows money from labelled sources on one chain; without labelled sources it costs nothing. */
export function createFundingTracker(chainUid: string) {
  let sources: Sources = new Map();
  /** The nearest funding of each address, oldest first. */
  let funded = new Map<string, FundedAddress>();
  let areLabelsStale = true;
  let isFundedStale = true;
  let purgedAt = 0;

  async function readLabels(db: Db): Promise<void> {
    areLabelsStale = false;
    try {
      const before = sources;
      sources = await readSources(db, chainUid);
      // A label that was taken away must not go on accusing.
      const isGone = isFundedStale || [...before.keys()].some((address) => !sources.has(address));
      if (!isGone) return;
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
      const known = nearest.get(row.address);
      if (!known || row.hops < known.hops) nearest.set(row.address, row);
    }
    funded = new Map([...nearest].reverse());
    isFundedStale = false;
  }

  function remember(row: FundedAddress): void {
    funded.delete(row.address);
    funded.set(row.address, row);
    if (funded.size > maxInMemory) funded.delete(funded.keys().next().value!);
  }

  return {
    /** Notes that labels have changed, in the words of the channel; undefined: anything may have. */
    onNotify(message: string | undefined): void {
      if (message === undefined || message === 'labels') areLabelsStale = true;
    },
    /** What is in memory may not be what is stored. */
    invalidate(): void {
      isFundedStale = true;
    },
    /** Reads sources and what they have brought, as far as that may have changed. */
    async refresh(db: Db): Promise<void> {
      if (areLabelsStale) await readLabels(db);
      if (isFundedStale) await readFunded(db);
    },
    /** What a block brings; from now on it is known, so it must be written or all be forgotten. */
    trace(block: Block): FundedAddress[] {
      const rows = traceFunding(block, sources, funded);
      for (const row of rows) remember(row);
      return rows;
    },
    /** Writes what blocks have brought; `at` is the time of the last one. */
    async write(tx: Db, rows: readonly FundedAddress[], at: number): Promise<void> {
      await insertFunded(tx, chainUid, rows);
      if (sources.size === 0 || at < purgedAt + purgeIntervalMs) return;
      purgedAt = at;
      await deleteFundedBefore(tx, chainUid, at - windowMs);
      for (const [address, { timestamp }] of funded) if (timestamp < at - windowMs) funded.delete(address);
    },
    /** Undoes what blocks above this one have brought. */
    async rewind(tx: Db, above: number): Promise<void> {
      isFundedStale = true;
      await deleteFundedAbove(tx, chainUid, above);
    },
    /** Adds what is traced and not yet written to the answers about funding, which come from the store. */
    withUnwritten(fetch: Fetch): Fetch {
      return async (requests, pace) => {
        const answers = await fetch(requests, pace);
        return answers.map((answer, place) => {
          const request = requests[place]!;
          if (request.type !== 'funding') return answer;
          const row = funded.get(request.address);
          const stored = answer as Funding | null;
          return row && (!stored || row.hops <= stored.hops) ? row : stored;
        });
      };
    },
  };
}

/** Labels of the platform alone: one tenant's labels must not show in the findings of another. */
async function readSources(db: Db, chainUid: string): Promise<Sources> {
  const labels = await listLabelledAddresses(db, { chainUid, tags: followedFunding.tags });
  const sources = new Map<string, readonly string[]>();
  for (const { address, tags, tenantId } of labels)
    if (tenantId === null) sources.set(address, [...new Set([...(sources.get(address) ?? []), ...tags])]);
  return sources;
}
