import type { Mempool, MempoolSubscription } from '../../../model/pending.ts';
import { createPendingFeed } from './createPendingFeed.ts';
import { createSimulator } from './createSimulator.ts';

type Options = {
  chainUid: string;
  blockTimeMs: number;
  urls: readonly string[];
  now: () => number;
  onCall: (method: string) => void;
};

/** The pending transactions of a chain's endpoints; without a subscription it connects to none. */
export function createMempool(options: Options) {
  const { onCall } = options;
  const simulator = createSimulator(options);
  let { urls } = options;
  const restarts = new Set<() => void>();

  function subscribe(onTransaction: Parameters<Mempool['subscribe']>[0]): MempoolSubscription {
    const start = () => createPendingFeed(urls, onTransaction, onCall);
    let feed = start();
    let before = { seen: 0, dropped: 0 };
    const counts = () => {
      const { seen, dropped } = feed.counts();
      return { seen: before.seen + seen, dropped: before.dropped + dropped };
    };
    const restart = () => {
      before = counts();
      feed.stop();
      feed = start();
    };
    restarts.add(restart);
    return {
      kinds: () => feed.kinds(),
      counts,
      forget: (hashes) => feed.forget(hashes),
      stop() {
        restarts.delete(restart);
        feed.stop();
      },
    };
  }

  return {
    ...simulator,
    subscribe,
    setUrls(next: readonly string[]): void {
      simulator.setUrls(next);
      const isSame = next.length === urls.length && next.every((url, index) => url === urls[index]);
      urls = next;
      if (!isSame) for (const restart of restarts) restart();
    },
  } satisfies Mempool & Record<string, unknown>;
}
