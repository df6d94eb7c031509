import { destinationKinds } from '../destinations/destinationKinds.ts';
import { slotsPerHost } from '../lib/createHostQueues.ts';
import type { Target } from '../model/notification.ts';
import { maxConcurrentWebhooks } from '../store/destinations/claimDeliveries.ts';

/** Enough that no slot of a host waits for work; more would only block attempts to other hosts. */
const attemptsPerHost = 2 * slotsPerHost;
const maxCachedDestinations = 100_000;

type HostTarget = Pick<Target, 'id' | 'type' | 'value'>;

/** Limits the attempts per host, so that a slow host does not use up the attempts of this process. */
export function createHostLoad() {
  const attempts = new Map<string, number>();
  const destinations = new Map<string, Set<number>>();
  let cached = 0;

  function cacheDestination(host: string, id: number): void {
    if (cached >= maxCachedDestinations) {
      destinations.clear();
      cached = 0;
    }
    const ids = destinations.get(host) ?? new Set();
    if (!ids.has(id)) cached += 1;
    destinations.set(host, ids.add(id));
  }

  const isFull = (host: string) => (attempts.get(host) ?? 0) >= attemptsPerHost;

  return {
    hasRoom(target: HostTarget): boolean {
      const host = hostOf(target);
      if (host === undefined) return true;
      cacheDestination(host, target.id);
      return !isFull(host);
    },
    /** Counts an attempt until the returned function is called. */
    enter(target: HostTarget): () => void {
      const host = hostOf(target);
      if (host === undefined) return () => {};
      attempts.set(host, (attempts.get(host) ?? 0) + 1);
      return () => {
        const remaining = (attempts.get(host) ?? 0) - 1;
        if (remaining > 0) attempts.set(host, remaining);
        else attempts.delete(host);
      };
    },
    /** `busy`, with every destination of a full host at its maximum. */
    busyWith(busy: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
      const full = [...attempts.keys()].filter(isFull);
      if (full.length === 0) return busy;
      const all = new Map(busy);
      for (const host of full)
        for (const id of destinations.get(host) ?? []) all.set(id, maxConcurrentWebhooks);
      return all;
    },
  };
}

/** A masked address shows its host. Mails and messages of a bot go through a server of the operator. */
function hostOf({ type, value }: HostTarget): string | undefined {
  const { transport } = destinationKinds[type];
  const isDirect = transport !== 'mail' && transport !== 'bot';
  return isDirect && value && URL.canParse(value) ? new URL(value).host : undefined;
}
