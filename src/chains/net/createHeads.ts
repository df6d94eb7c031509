import type { ChainClient, HeadSubscription } from '../chainClient.ts';
import { type HeadProtocol, subscribeToHeads } from './subscribeToHeads.ts';

type Subscription = { listener: (number: number) => void; heads: HeadSubscription };

/** The head subscriptions of a client, which move along when its endpoints change. */
export function createHeads(
  protocol: HeadProtocol,
  first: readonly string[],
): { onHead: ChainClient['onHead']; setUrls(urls: readonly string[]): void } {
  const subscriptions = new Set<Subscription>();
  let urls = first;
  return {
    onHead(listener) {
      const subscription = { listener, heads: subscribeToHeads(urls, protocol, listener) };
      subscriptions.add(subscription);
      return {
        appeared: (number) => subscription.heads.appeared(number),
        stop: () => {
          subscriptions.delete(subscription);
          subscription.heads.stop();
        },
      };
    },
    setUrls(next) {
      urls = next;
      for (const subscription of subscriptions) {
        subscription.heads.stop();
        subscription.heads = subscribeToHeads(urls, protocol, subscription.listener);
      }
    },
  };
}
