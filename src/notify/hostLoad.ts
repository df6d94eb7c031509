import { slotsPerHost } from '../lib/createHostQueues.ts';
import { webhooksAtOnce } from '../store/destinations/claimDeliveries.ts';
import type { Target } from './sender.ts';

/** Enough that no slot of a host waits for work; more would only hold places that other hosts could use. */
const attemptsPerHost = 2 * slotsPerHost;
const maxRemembered = 100_000;

type Place = Pick<Target, 'id' | 'type' | 'value'>;

/** Keeps attempts that wait for one host from taking the places of attempts to others. */
export function createHostLoad() {
  const attempts = new Map<string, number>();
  const destinations = new Map<string, Set<number>>();
  let remembered = 0;

  function remember(host: string, id: number): void {
    if (remembered >= maxRemembered) {
      destinations.clear();
      remembered = 0;
    }
    const known = destinations.get(host) ?? new Set();
    if (!known.has(id)) remembered += 1;
    destinations.set(host, known.add(id));
  }

  const isFull = (host: string) => (attempts.get(host) ?? 0) >= attemptsPerHost;

  return {
    hasRoom(target: Place): boolean {
      const host = hostOf(target);
      if (host === undefined) return true;
      remember(host, target.id);
      return !isFull(host);
    },
    /** Counts an attempt until the returned function is called. */
    enter(target: Place): () => void {
      const host = hostOf(target);
      if (host === undefined) return () => {};
      attempts.set(host, (attempts.get(host) ?? 0) + 1);
      return () => {
        const left = attempts.get(host)! - 1;
        if (left > 0) attempts.set(host, left);
        else attempts.delete(host);
      };
    },
    /** `busy`, with every destination of a host that has no room as busy as it can be. */
    busyWith(busy: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
      const full = [...attempts.keys()].filter(isFull);
      if (full.length === 0) return busy;
      const all = new Map(busy);
      for (const host of full) for (const id of destinations.get(host) ?? []) all.set(id, webhooksAtOnce);
      return all;
    },
  };
}

/** The masked address of a messenger has the host of the whole one. */
function hostOf({ type, value }: Place): string | undefined {
  if ((type !== 'HTTP' && type !== 'MESSENGER_B') || !value || !URL.canParse(value)) return undefined;
  return new URL(value).host;
}
