import { eventTopic } from '../lib/abi.ts';
import type { Block } from '../model/block.ts';

/** Events by which proxies of the usual kinds tell of a new implementation. */
const topics = new Set(
  [
    'Upgraded(address)',
    'BeaconUpgraded(address)',
    'AdminChanged(address,address)',
    'ChangedMasterCopy(address)',
  ].map(eventTopic),
);

/** Watched addresses of a block that say they have a new implementation. */
export function upgradedAddresses(block: Block, isWatched: (address: string) => boolean): string[] {
  return block.logs.flatMap(({ address, topics: [topic = ''] }) =>
    topics.has(topic) && isWatched(address) ? [address] : [],
  );
}
