import { eventTopic } from '../../codecs/evm/abi.ts';
import { upgradeTopics } from '../../codecs/evm/upgradeEvents.ts';
import type { Log } from '../../model/block.ts';

/** Events by which the usual kinds of proxies report a new implementation. */
const topics = new Set([...upgradeTopics, eventTopic('AdminChanged(address,address)')]);

/** Addresses that report a new implementation. */
export function upgradedAddresses(logs: readonly Log[]): string[] {
  return logs.flatMap(({ address, key }) => (topics.has(key) ? [address] : []));
}
