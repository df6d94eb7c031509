import type { MempoolSubscription, PendingKind, PendingTransaction } from '../../../model/pending.ts';
import { pendingKinds } from '../../../model/pending.ts';
import { decodePending } from './decodePending.ts';
import { followPool, type PoolSource } from './followPool.ts';

/** Hashes that wait for their transactions to be fetched; the oldest of more are dropped. */
const maxWaiting = 10_000;
const batchSize = 100;
const maxInFlight = 4;
/** Hashes that are remembered, twice over: a large chain has that many in minutes. */
const maxRemembered = 100_000;

/** Every pending transaction of these endpoints once, whole. */
export function createPendingFeed(
  urls: readonly string[],
  onTransaction: (transaction: PendingTransaction) => void,
  onCall: (method: string) => void,
): MempoolSubscription {
  const seen = createSeenHashes();
  const kinds = new Map<string, PendingKind | null>();
  const waiting = new Map<string, PoolSource>();
  /** Those that are being fetched, with another endpoint that announced them too. */
  const fetching = new Map<string, PoolSource | undefined>();
  const counts = { seen: 0, dropped: 0 };
  let inFlight = 0;
  let isStopped = false;
  const sources = urls.map((url) => {
    const source: PoolSource = followPool(url, {
      onBody: take,
      onHash: (hash) => {
        if (seen.has(hash) || waiting.has(hash)) return;
        if (fetching.has(hash)) fetching.set(hash, source);
        else wait(hash, source);
      },
      onKind: (kind) => kinds.set(url, kind),
      onCall,
    });
    return source;
  });

  function wait(hash: string, source: PoolSource): void {
    waiting.set(hash, source);
    if (waiting.size > maxWaiting) {
      waiting.delete(waiting.keys().next().value!);
      counts.dropped++;
    }
    // The rest of what comes at the same time goes along.
    if (waiting.size === 1) setImmediate(fetchWaiting);
  }

  function take(raw: unknown): void {
    const transaction = isStopped ? undefined : decodePending(raw);
    if (!transaction || !seen.add(transaction.hash)) return;
    waiting.delete(transaction.hash);
    counts.seen++;
    onTransaction(transaction);
  }

  function fetchWaiting(): void {
    if (isStopped) return;
    while (waiting.size > 0 && inFlight < maxInFlight) {
      const { source, hashes } = nextBatch();
      inFlight++;
      source
        .bodies(hashes)
        .then((bodies) => bodies.forEach(take))
        .catch(() => {
          counts.dropped += hashes.filter((hash) => !fetching.get(hash)).length;
        })
        .finally(() => {
          inFlight--;
          for (const hash of hashes) {
            const announcement = fetching.get(hash);
            fetching.delete(hash);
            if (announcement && !seen.has(hash)) wait(hash, announcement);
          }
          fetchWaiting();
        });
    }
  }

  /** The oldest, and those of the same endpoint that come soon after it. */
  function nextBatch(): { source: PoolSource; hashes: string[] } {
    const [source] = waiting.values();
    const hashes: string[] = [];
    let looked = 0;
    for (const [hash, entrySource] of waiting) {
      if (hashes.length === batchSize || ++looked > 10 * batchSize) break;
      if (entrySource !== source) continue;
      hashes.push(hash);
      waiting.delete(hash);
      fetching.set(hash, undefined);
    }
    return { source: source!, hashes };
  }

  return {
    kinds() {
      const offered = pendingKinds.filter((kind) => [...kinds.values()].includes(kind));
      return offered.length > 0 || kinds.size === urls.length ? offered : undefined;
    },
    counts: () => ({ ...counts }),
    forget: (hashes) => hashes.forEach(seen.delete),
    stop() {
      isStopped = true;
      for (const source of sources) source.stop();
    },
  };
}

/** Bounded: the older half is forgotten when the newer one is full. */
function createSeenHashes() {
  let older = new Set<string>();
  let newer = new Set<string>();
  const has = (hash: string) => newer.has(hash) || older.has(hash);
  return {
    has,
    delete(hash: string): void {
      newer.delete(hash);
      older.delete(hash);
    },
    /** True if it is new. */
    add(hash: string): boolean {
      if (has(hash)) return false;
      if (newer.size >= maxRemembered) {
        older = newer;
        newer = new Set();
      }
      newer.add(hash);
      return true;
    },
  };
}
