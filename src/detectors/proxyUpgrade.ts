import type { Static } from 'typebox';
import { decodeEvent, eventTopic, parseEvent, topicOf } from '../chains/evm/abi/abi.ts';
import { logWords, topicAddress, zeroAddress } from '../chains/evm/abi/words.ts';
import { askImplementation, readImplementation } from '../chains/evm/evidence/readImplementation.ts';
import { isListed } from '../evidence/addressList.ts';

import { Addresses, Configuration, Flag, Polling, scheduleOf } from '../evidence/parameters.ts';
import type { Log } from '../model/block.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
} from '../model/detection.ts';

const config = Configuration({
  allowedImplementations: Addresses(
    'Implementations, beacons and facets that are expected; an upgrade to them raises nothing.',
  ),
  checkSlot: Flag(
    'Whether to look at the proxy itself as well (its storage, or what it answers), which also shows an upgrade that emits no event.',
    false,
  ),
  ...Polling('cron', '10 min'),
});

type Config = Static<typeof config>;
/** The implementation as last seen in the storage, and the one that an event reported since. */
type State = { stored?: string | null; announced?: string };

const upgraded = eventTopic('Upgraded(address)');
const beaconUpgraded = eventTopic('BeaconUpgraded(address)');
const diamondCut = parseEvent(
  'DiamondCut((address facet, uint8 action, bytes4[] selectors)[] cuts, address init, bytes data)',
);

export const proxyUpgrade = defineDetector<Config, State>({
  name: 'proxy_upgrade',
  title: 'Proxy upgrade',
  version: '1.0.0',
  category: 'SECURITY',
  severity: 'CRITICAL',
  description:
    'The code behind the contract is replaced: an upgrade of a proxy, of its beacon or of the facets of a diamond.',
  faq: 'Does it see the upgrade of a beacon? The beacon emits the event, not the proxy: watch the beacon as well, or switch checkSlot on.',
  config,
  fields: [
    'event',
    'implementation',
    'previousImplementation',
    'beacon',
    'facets',
    'init',
    'added',
    'replaced',
    'removed',
    'sender',
  ],
  interests: (options, { address }) => [
    { on: 'log', address, keys: [upgraded, beaconUpgraded, topicOf(diamondCut)] },
    ...(options.checkSlot ? [{ on: 'block' as const, ...scheduleOf(options) }] : []),
  ],
  evaluate(observation, context) {
    if (observation.type === 'block') return checkStorage(context);
    if (observation.type !== 'log') return {};
    const { log, transaction } = observation;
    if (log.key === topicOf(diamondCut)) return { detections: findCut(log, transaction.from, context) };
    return findUpgrade(log, transaction.from, context);
  },
});

function findUpgrade(
  log: Log,
  sender: string,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const [implementation] = logWords(log).map(topicAddress);
  if (implementation === undefined) return {};
  const isBeacon = log.key === beaconUpgraded;
  const { contract, state } = context;
  const previous = state?.announced ?? state?.stored ?? undefined;
  const outcome = { state: { ...state, announced: implementation } };
  if (isListed(context.config.allowedImplementations, implementation)) return outcome;
  const event = isBeacon ? 'BeaconUpgraded' : 'Upgraded';
  const what = isBeacon ? 'beacon' : 'implementation';
  return {
    ...outcome,
    detections: [
      {
        message: `${contract.name} was upgraded by ${sender}: its ${what} is now ${implementation}${previous ? `, before it was ${previous}` : ''}.`,
        fields: { event, implementation, previousImplementation: previous, sender },
      },
    ],
  };
}

type Cut = { facet: string; action: number; selectors: readonly string[] };

function findCut(
  log: Log,
  sender: string,
  { config: options, contract }: EvaluationContext<Config, State>,
): Detection[] {
  const { cuts, init } = decodeEvent(diamondCut, log) as { cuts: readonly Cut[]; init: string };
  // The code at `init` runs as the diamond, so it must be as trusted as a facet.
  const facets = [...new Set([...cuts.map(({ facet }) => facet), init])].filter(
    (address) => address !== zeroAddress,
  );
  const isRemoving = cuts.some(({ action }) => action === 2);
  if (!isRemoving && facets.every((facet) => isListed(options.allowedImplementations, facet))) return [];
  const count = cuts.reduce((sum, { selectors }) => sum + selectors.length, 0);
  return [
    {
      message: `${count} functions of the diamond ${contract.name} were changed by ${sender}; facets involved: ${facets.join(', ') || 'none'}.`,
      fields: {
        event: 'DiamondCut',
        facets,
        init,
        added: selectorsOf(cuts, 0),
        replaced: selectorsOf(cuts, 1),
        removed: selectorsOf(cuts, 2),
        sender,
      },
    },
  ];
}

function selectorsOf(cuts: readonly Cut[], wanted: number): string[] {
  return cuts.flatMap(({ action, selectors }) => (action === wanted ? selectors : []));
}

/** The first check only records; later ones report a change that no event has reported. */
function checkStorage({
  config: options,
  contract,
  state,
  read,
}: EvaluationContext<Config, State>): EvaluationResult<State> {
  const now = readImplementation(read, contract.address) ?? askImplementation(read, contract.address);
  const stored = now?.address ?? null;
  if (state?.stored === stored) return {};
  const outcome = { state: { stored } };
  const previous = state?.stored;
  const isAnnounced = state?.announced !== undefined && [stored, now?.beacon].includes(state.announced);
  if (previous === undefined || stored === null || isAnnounced) return outcome;
  if (isListed(options.allowedImplementations, stored)) return outcome;
  return {
    ...outcome,
    detections: [
      {
        message: `${contract.name} was upgraded without an event: its implementation is now ${stored}, before it was ${previous ?? 'none'}.`,
        fields: {
          event: null,
          implementation: stored,
          previousImplementation: previous,
          beacon: now?.beacon,
        },
      },
    ],
  };
}
