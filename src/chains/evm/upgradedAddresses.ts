import type { Log } from '../../model/block.ts';
import { eventTopic } from './abi/abi.ts';
import { upgradeTopics } from './evidence/upgradeEvents.ts';

/** Events by which the usual kinds of proxies report a new implementation. */
const topics = new Set([...upgradeTopics, eventTopic('AdminChanged(address,address)')]);

/** Addresses that report a new implementation. */
export function upgradedAddresses(logs: readonly Log[]): string[] {
  return logs.flatMap(({ address, key }) => (topics.has(key) ? [address] : []));
}
