import type { Static } from 'typebox';
import { decodeEvent, parseEvent, topicOf } from '../codecs/evm/abi.ts';
import { type CodePointer, isCodeInPlace, locateCode } from '../codecs/evm/locateCode.ts';
import { decodeUpgrade, upgradeTopics } from '../codecs/evm/upgradeEvents.ts';
import { zeroAddress } from '../codecs/evm/words.ts';
import { isListed } from '../evidence/addressList.ts';
import { controlLook, readModuleHash } from '../evidence/control.ts';
import { functionName } from '../evidence/evm/describeCall.ts';
import { Addresses, Configuration, everyLook, Flag, Polling, scheduleOf } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { isDue, parseSchedule } from '../lib/schedule.ts';
import type { Log } from '../model/block.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
  type Interest,
  type Observation,
} from '../model/detection.ts';
import { evmDialect, hasEvmDialect, keepsControl } from '../model/family.ts';

const config = Configuration({
  allowedImplementations: Addresses(
    'Implementations, beacons and facets that are expected; an upgrade to them raises nothing.',
  ),
  checkSlot: Flag(
    'Whether to look at the proxy itself as well (its storage, what it answers, its beacon), which also shows an upgrade that emits no event or one of the beacon.',
    true,
  ),
  ...Polling('block', '10 min'),
});

type Config = Static<typeof config>;
/** The implementation as last seen behind the proxy, what says so, and the one that an event reported since. */
type State = { stored?: string | null; announced?: string; pointers?: readonly CodePointer[] };

const diamondCut = parseEvent(
  'DiamondCut((address facet, uint8 action, bytes4[] selectors)[] cuts, address init, bytes data)',
);

export const proxyUpgrade = defineDetector<Config, State>({
  name: 'proxy_upgrade',
  title: 'Proxy upgrade',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'solana', 'stellar', 'icp'],
  recommendedFor: {
    PROXY: () => ({
      config: { checkSlot: true },
      reason: 'It is a proxy: who replaces the code behind it controls everything that it holds.',
    }),
    UPGRADABLE: () => ({
      reason: 'Its code can be replaced: who does so controls everything that it holds.',
    }),
  },
  severity: 'CRITICAL',
  description:
    'The code behind the contract is replaced: an upgrade of a proxy, of its beacon or of the facets of a diamond.',
  faq: 'Which proxies does it understand? Those of EIP-1967, 1822, 897 and 1167, beacons, Safes, diamonds, and the older or own forms of Compound, zeppelinos (USDC), Aragon, Synthetix, StarkWare, Polygon, Wormhole, USDT and Chainlink feeds, also one behind the other. The beacon emits the event of its upgrade, not the proxy: checkSlot sees it all the same.',
  nextStep:
    'Compare the new code with the release that you reviewed. If no one on your team made the upgrade, pause the contract and revoke the upgrader’s rights.',
  config,
  pending: true,
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
  takesBaseline: true,
  interests(options, { address }, chain) {
    if (keepsControl(chain.family)) return [controlLook];
    if (!hasEvmDialect(chain.family)) return [{ on: 'change', address, keys: ['code'] }];
    const look: Interest =
      options.when === 'block' ? everyLook(chain) : { on: 'block', ...scheduleOf(options) };
    return [
      { on: 'log', address, keys: [...upgradeTopics, topicOf(diamondCut)] },
      ...(options.checkSlot ? [look] : []),
    ];
  },
  evaluate(observation, context) {
    if (observation.type === 'change') return findNewCode(observation, context);
    if (observation.type === 'block')
      return keepsControl(context.chain.family) ? compareModule(context) : checkCode(observation, context);
    if (observation.type !== 'log') return {};
    const { log, transaction } = observation;
    if (log.key === topicOf(diamondCut)) return { detections: findCut(log, transaction.from, context) };
    return findUpgrade(log, transaction.from, context);
  },
});

/** Code that the chain itself replaces; it names the account that the new code came from. */
function findNewCode(
  { change: { after }, transaction }: Extract<Observation, { type: 'change' }>,
  { config: { allowedImplementations }, contract }: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  if (after !== null && isListed(allowedImplementations, after)) return {};
  const what = after === null ? 'was closed: its code is gone' : `was upgraded with the code in ${after}`;
  return {
    detections: [
      {
        message: `The program ${contract.name} ${what}, in a transaction of ${transaction.from}.`,
        fields: { implementation: after, sender: transaction.from },
      },
    ],
  };
}

/** The code as against the last look, where the chain itself keeps its hash. */
function compareModule({ contract, state, read }: EvaluationContext<Config, State>): EvaluationResult<State> {
  const implementation = readModuleHash(read, contract.address);
  const previousImplementation = state?.stored;
  if (implementation === previousImplementation) return {};
  const newState = { state: { stored: implementation } };
  if (typeof previousImplementation !== 'string') return newState;
  const how =
    implementation === '0x'
      ? `was removed: the hash of its module was ${previousImplementation}`
      : `was replaced: the hash of its module is now ${implementation}, before it was ${previousImplementation === '0x' ? 'none' : previousImplementation}`;
  return {
    ...newState,
    detections: [
      {
        message: `The code of ${contract.name} ${how}.`,
        fields: { event: 'module_hash', implementation, previousImplementation },
      },
    ],
  };
}

function findUpgrade(
  log: Log,
  sender: string,
  { config: options, contract, state }: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const upgrade = decodeUpgrade(log);
  if (!upgrade) return {};
  const { event, what, implementation, isPending } = upgrade;
  const previous = upgrade.previous ?? state?.announced ?? state?.stored ?? undefined;
  const { pointers: _former, ...rest } = state ?? {};
  // The former pointers may be out of use; the next poll searches again.
  const outcome = isPending ? {} : { state: { ...rest, announced: implementation } };
  // Compound clears what was pending once it is in force.
  const isCleared = isPending && implementation === zeroAddress;
  if (isCleared || isListed(options.allowedImplementations, implementation)) return outcome;
  const before = previous && previous !== zeroAddress ? `, before it was ${previous}` : '';
  const deed = isPending
    ? `is about to be upgraded by ${sender}: its next ${what} is`
    : `was upgraded by ${sender}: its ${what} is now`;
  return {
    ...outcome,
    detections: [
      {
        message: `${contract.name} ${deed} ${implementation}${before}.`,
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
      message: `${count} functions of the diamond ${contract.name} were changed by ${sender}: ${showCuts(cuts, contract.abi)}${init === zeroAddress ? '' : `; the code of ${init} ran once`}.`,
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

const cutWords = ['added', 'replaced', 'removed'];
const maxNamed = 10;

/** `added pause(), 0x12345678 (0x…)`, with the facet that has them. */
function showCuts(cuts: readonly Cut[], abi: readonly unknown[]): string {
  const shown = cuts.slice(0, maxNamed).map(({ facet, action, selectors }) => {
    const names = selectors.slice(0, maxNamed).map((selector) => functionName(selector, abi));
    const more = selectors.length > maxNamed ? ` and ${selectors.length - maxNamed} more` : '';
    const where = facet === zeroAddress ? '' : ` (${facet})`;
    return `${cutWords[action] ?? 'changed'} ${names.join(', ') || 'none'}${more}${where}`;
  });
  return shown.join('; ') || 'none';
}

function selectorsOf(cuts: readonly Cut[], wanted: number): string[] {
  return cuts.flatMap(({ action, selectors }) => (action === wanted ? selectors : []));
}

const searchSchedule = parseSchedule('10 min');

/** As long as what was found once answers the same, nothing else is asked; where nothing was found, only now and then. */
function checkCode(
  { block, previous: before }: Extract<Observation, { type: 'block' }>,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { config: options, contract, state, read } = context;
  const pointers = state?.pointers;
  const isSearchDue =
    pointers === undefined || !before || isDue(searchSchedule, before.timestamp, block.timestamp);
  if (!isSearchDue && isCodeInPlace(read, pointers)) return {};
  const [now, first] = read.all([
    () => locateCode(read, contract.address),
    // The first look compares with the state before it, so that a change in its block is seen.
    () => (state?.stored === undefined ? locateCode(read, contract.address, 'parent') : undefined),
  ]);
  const stored = now.implementation;
  const previous = first ? (first.implementation ?? undefined) : state?.stored;
  const isAnnounced = state?.announced !== undefined && [stored, now.beacon].includes(state.announced);
  const outcome = keepState(state, { stored, pointers: now.pointers });
  if (previous === undefined || previous === stored || stored === null || isAnnounced) return outcome;
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
          beacon: now.beacon,
        },
      },
    ],
  };
}
