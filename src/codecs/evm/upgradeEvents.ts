import type { Log } from '../../model/block.ts';
import { parseEvent, topicOf } from './abi.ts';
import { eventWords } from './eventWords.ts';
import { topicAddress } from './words.ts';

export type Upgrade = {
  readonly event: string;
  /** Kind of the replaced code. */
  readonly what: 'implementation' | 'beacon' | 'target' | 'app' | 'aggregator';
  readonly implementation: string;
  readonly previous: string | undefined;
  /** It is announced, and takes effect later. */
  readonly isPending: boolean;
};

/** Events by which contract families report new code; `next` is the new address, `previous` the one before. */
const signatures = [
  // EIP-1967, EIP-1822, zeppelinos (USDC and others), beacons
  'Upgraded(address indexed next)',
  'BeaconUpgraded(address indexed next)',
  // Bridges with eternal storage
  'Upgraded(uint256 version, address indexed next)',
  // Compound and its forks: markets, comptroller, Governor Bravo
  'NewImplementation(address previous, address next)',
  'NewPendingImplementation(address previous, address next)',
  // Safe up to 1.0
  'ChangedMasterCopy(address next)',
  // StarkWare
  'ImplementationUpgraded(address indexed next, bytes initializer)',
  'ImplementationAdded(address indexed next, bytes initializer, bool finalize)',
  'ImplementationUpgraded(address indexed previous, address indexed next)',
  // Polygon
  'ProxyUpdated(address indexed next, address indexed previous)',
  // Superfluid
  'CodeUpdated(bytes32 uuid, address next)',
  // Wormhole, Pyth
  'ContractUpgraded(address indexed previous, address indexed next)',
  // Celo
  'ImplementationSet(address indexed next)',
  // Synthetix hands calls on to a target, USDT to the token that succeeds it
  'TargetUpdated(address next)',
  'Deprecate(address next)',
  // Aragon: the kernel names the code of an app
  'SetApp(bytes32 indexed namespace, bytes32 indexed appId, address next)',
  // Chainlink: the proxy of a feed
  'AggregatorConfirmed(address indexed previous, address indexed next)',
  'AggregatorProposed(address indexed previous, address indexed next)',
];

const whats: Readonly<Record<string, Upgrade['what']>> = {
  BeaconUpgraded: 'beacon',
  TargetUpdated: 'target',
  Deprecate: 'target',
  SetApp: 'app',
  AggregatorConfirmed: 'aggregator',
  AggregatorProposed: 'aggregator',
};
const pending = ['NewPendingImplementation', 'ImplementationAdded', 'AggregatorProposed'];

const events = new Map(
  signatures.map((signature) => {
    const event = parseEvent(signature);
    return [topicOf(event), event];
  }),
);

export const upgradeTopics: readonly string[] = [...events.keys()];

/** The upgrade that a log reports; undefined for any other log. */
export function decodeUpgrade(log: Log): Upgrade | undefined {
  const event = events.get(log.key);
  if (!event) return undefined;
  const { next, previous } = eventWords(event, log);
  if (next === undefined) return undefined;
  return {
    event: event.name,
    what: whats[event.name] ?? 'implementation',
    implementation: topicAddress(next),
    previous: previous && topicAddress(previous),
    isPending: pending.includes(event.name),
  };
}
