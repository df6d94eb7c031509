import { waitForNews } from '../../lib/waitForNews.ts';
import type { Db } from '../../store/db/db.ts';
import { confirmLease, offerMessage, type RequestedLease, requestLease } from '../../store/watch/leases.ts';
import type { Presence } from '../../store/watch/openPresence.ts';

const intervalMs = 1000;
/** Longest time that a holder may take to hand a chain over. */
const maxHandoverMs = 10_000;

/** Everything that following a chain needs to go on at once. */
export type PreparedChain = {
  /** Resolves when following has started with it. */
  taken: Promise<void>;
  /** Frees it, unless it was taken or is kept for another reason. */
  drop(): void;
};

type Options = {
  db: Db;
  presence: Pick<Presence, 'holder' | 'onLease'>;
  /** Those that this process can follow. */
  chainUids: () => readonly string[];
  /** True if another process follows a chain, of which this one could ask for some. */
  othersFollow: () => boolean;
  /** `isOffered`: its holder waits for it to stop. */
  prepare: (chainUid: string, isOffered: boolean) => Promise<PreparedChain>;
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/**
 * Takes chains from stopping processes and from the one that follows most, until none follows two more than this one.
 * Only the process with fewer asks, so chains settle. Reads ahead first.
 */
export async function spreadLeases({
  db,
  presence,
  chainUids,
  othersFollow,
  prepare,
  onError,
  signal,
}: Options): Promise<void> {
  const { holder } = presence;
  let isOffered = false;
  while (!signal.aborted) {
    try {
      const isWorthAsking = isOffered || othersFollow();
      isOffered = false;
      const requested = isWorthAsking ? await requestLease(db, chainUids(), holder) : undefined;
      if (requested === undefined)
        await waitForNews(intervalMs, signal, (wake) =>
          presence.onLease(offerMessage, () => {
            isOffered = true;
            wake();
          }),
        );
      else await takeOver(requested);
    } catch (error) {
      if (!signal.aborted) onError(error);
      await waitForNews(intervalMs, signal);
    }
  }

  async function takeOver({ chainUid, isOffered }: RequestedLease): Promise<void> {
    const prepared = await prepare(chainUid, isOffered);
    try {
      // A process that stops meanwhile takes no chain any more.
      if (!signal.aborted && (await confirmLease(db, chainUid, holder)))
        await waitForNews(maxHandoverMs, signal, (wake) => {
          void prepared.taken.then(wake);
          return () => {};
        });
    } finally {
      prepared.drop();
    }
  }
}
