import type { Static } from 'typebox';
import { functionSelector, parseEvent, topicOf } from '../codecs/evm/abi.ts';
import { eventWords } from '../codecs/evm/eventWords.ts';
import { isAddressTopic, topicAddress, zeroAddress } from '../codecs/evm/words.ts';
import { isListed } from '../evidence/addressList.ts';
import { changesOf } from '../evidence/changesOf.ts';
import { controlLook, readControllers } from '../evidence/control.ts';
import { Addresses, Configuration, Flag } from '../evidence/parameters.ts';
import { zip } from '../lib/zip.ts';
import type { Block, Log } from '../model/block.ts';
import {
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
  type Observation,
  type Reader,
} from '../model/detection.ts';
import { evmDialect, hasEvmDialect, keepsControl } from '../model/family.ts';

const config = Configuration({
  allowedOwners: Addresses('New owners that are expected; a change to one of them raises nothing.'),
  checkOwner: Flag(
    'Whether to ask the contract itself as well, whenever a transaction touches it, which also shows a change that emits no event.',
    true,
  ),
});

type Config = Static<typeof config>;
/** Holder of each office at the last poll, and holders that events named since. */
type State = {
  held?: Readonly<Record<string, string>>;
  announced?: string;
  /** Those who may change the contract, where the chain itself keeps that. */
  controllers?: readonly string[];
};

type Office = 'owner' | 'proxy administrator' | 'administrator' | 'authority' | 'governance';
type Form = { office: Office; isPending?: true | undefined };

const owner: Form = { office: 'owner' };
const nextOwner: Form = { office: 'owner', isPending: true };
const proxyAdmin: Form = { office: 'proxy administrator' };
const admin: Form = { office: 'administrator' };
const nextAdmin: Form = { office: 'administrator', isPending: true };
const authority: Form = { office: 'authority' };
const governance: Form = { office: 'governance' };

/** Events by which contract families report a change of owner; `next` is the new owner, `previous` the one before. */
const forms: Readonly<Record<string, Form>> = {
  // Ownable of OpenZeppelin, Solady and Solmate; Ownable2Step; Chainlink; handover of Solady
  'OwnershipTransferred(address indexed previous, address indexed next)': owner,
  'OwnershipTransferStarted(address indexed previous, address indexed next)': nextOwner,
  'OwnershipTransferRequested(address indexed previous, address indexed next)': nextOwner,
  'OwnershipHandoverRequested(address indexed next)': nextOwner,
  'OwnerUpdated(address indexed previous, address indexed next)': owner,
  'DefaultAdminTransferScheduled(address indexed next, uint48 schedule)': nextAdmin,
  // Proxies: EIP-1967 and zeppelinos, eternal storage, Polygon
  'AdminChanged(address previous, address next)': proxyAdmin,
  'ProxyOwnershipTransferred(address previous, address next)': proxyAdmin,
  'ProxyOwnerUpdate(address next, address previous)': proxyAdmin,
  // DSAuth (Maker), managed access of OpenZeppelin and Solmate
  'LogSetOwner(address indexed next)': owner,
  'LogSetAuthority(address indexed next)': authority,
  'AuthorityUpdated(address next)': authority,
  'AuthorityUpdated(address indexed previous, address indexed next)': authority,
  // Compound: markets, comptroller and Governor Bravo name both, its timelock only the new one
  'NewAdmin(address previous, address next)': admin,
  'NewAdmin(address indexed next)': admin,
  'NewPendingAdmin(address previous, address next)': nextAdmin,
  'NewPendingAdmin(address indexed next)': nextAdmin,
  // Synthetix, Uniswap V3, Bancor
  'OwnerNominated(address next)': nextOwner,
  'OwnerChanged(address indexed previous, address indexed next)': owner,
  'OwnerUpdate(address indexed previous, address indexed next)': owner,
  // Curve, Yearn, Origin
  'CommitOwnership(address next)': nextOwner,
  'ApplyOwnership(address next)': owner,
  'UpdateGovernance(address next)': governance,
  'GovernanceTransferred(address indexed previous, address indexed next)': governance,
  'GovernanceTransferred(address indexed next)': governance,
  'GovernorshipTransferred(address indexed previous, address indexed next)': governance,
  'PendingGovernorshipTransfer(address indexed previous, address indexed next)': {
    office: 'governance',
    isPending: true,
  },
};

const events = new Map(
  Object.entries(forms).map(([signature, form]) => {
    const event = parseEvent(signature);
    return [topicOf(event), { event, ...form }];
  }),
);
const topics = [...events.keys()];

/** Offices that contracts answer for, and the slot in which proxies of EIP-1967 keep their administrator. */
const offices = new Map<string, Form & { data: string }>(
  Object.entries({
    'owner()': owner,
    'getOwner()': owner,
    'admin()': admin,
    'governance()': governance,
  }).map(([getter, form]) => [getter, { ...form, data: functionSelector(getter) }]),
);
const adminSlot = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103';
const slotName = 'the slot of EIP-1967';

export const ownershipChange = defineDetector<Config, State>({
  name: 'ownership_change',
  title: 'Ownership change',
  version: '1.0.0',
  category: 'SECURITY',
  families: [...evmDialect, 'solana', 'stellar', 'icp'],
  recommendedFor: {
    OWNABLE: ({ facts: { owner } }) => ({
      reason: owner ? `It has an owner, ${owner}.` : 'It can have an owner.',
    }),
  },
  severity: 'CRITICAL',
  description:
    'The owner, administrator, proxy administrator, authority or governance of the contract changes, or a change is started.',
  faq: 'Which contracts does it understand? Ownable in all its versions, proxies, DSAuth (LogSetOwner), Compound (NewAdmin, NewPendingAdmin), Synthetix, Uniswap, Curve, Yearn and others; a change without an event is seen when a transaction touches the contract and owner(), getOwner(), admin(), governance() or the slot of EIP-1967 says so. When a contract is renounced, the new owner is the zero address. On Solana: the upgrade authority of a program, the mint and freeze authority of a token, the owner of an account and of the token accounts of a wallet. On Tron also who holds the owner permission of an account.',
  nextStep:
    'Ask the previous holder whether it was meant. If not, the new one controls the contract: pause what still can be paused and move funds out of its reach.',
  config,
  pending: true,
  fields: ['event', 'getter', 'account', 'previousOwner', 'newOwner', 'isPending', 'sender'],
  takesBaseline: true,
  interests: ({ checkOwner }, contract, { family }) =>
    keepsControl(family)
      ? [controlLook]
      : hasEvmDialect(family)
        ? [
            { on: 'log', address: contract.address, keys: topics },
            ...(checkOwner ? [{ on: 'touch' as const, address: contract.address }] : []),
            ...changesOf(contract, ['owner']),
          ]
        : changesOf(contract, ['owner', 'mint', 'freeze']),
  evaluate(observation, context) {
    if (observation.type === 'change') return findChange(observation, context);
    if (observation.type === 'block')
      return keepsControl(context.chain.family) ? compareControllers(context) : {};
    if (observation.type === 'transaction') return findSilentChange(observation.block, context);
    if (observation.type !== 'log') return {};
    const { config: options, contract, state } = context;
    const { log, transaction } = observation;
    const change = readChange(log);
    if (!change) return {};
    const { event, office, isPending, previousOwner, newOwner } = change;
    // Asking comes later, perhaps in another block.
    const outcome = options.checkOwner && !isPending ? { state: { ...state, announced: newOwner } } : {};
    // A nomination that is withdrawn or has been accepted changes nothing.
    const isNone = previousOwner === newOwner || (isPending && newOwner === zeroAddress);
    if (isListed(options.allowedOwners, newOwner) || isNone) return outcome;
    return {
      ...outcome,
      detections: [
        {
          message: `${sentence({ office, isPending }, contract.name, previousOwner, newOwner)}, in a transaction of ${transaction.from}.`,
          fields: { event, previousOwner, newOwner, isPending, sender: transaction.from },
        },
      ],
    };
  },
});

/** Authorities as the chain itself keeps them. */
const authorities = { owner: 'owner', mint: 'mint authority', freeze: 'freeze authority' } as const;

function findChange(
  { change, transaction }: Extract<Observation, { type: 'change' }>,
  { config: { allowedOwners }, contract }: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { what, part, before: previousOwner, after: newOwner } = change;
  if (newOwner !== null && isListed(allowedOwners, newOwner)) return {};
  if (what !== 'owner' && what !== 'mint' && what !== 'freeze') return {};
  if (previousOwner === newOwner) return {};
  const office = part === undefined || part.includes(' ') ? (part ?? authorities[what]) : `owner of ${part},`;
  const from = previousOwner ? ` from ${previousOwner}` : '';
  const how =
    newOwner === null
      ? `was given up for good${from && `: it was ${previousOwner}`}`
      : `changed${from} to ${newOwner}`;
  return {
    detections: [
      {
        message: `The ${office} of ${contract.name} ${how}, in a transaction of ${transaction.from}.`,
        fields: { event: what, account: part, previousOwner, newOwner, sender: transaction.from },
      },
    ],
  };
}

/** Compares the accounts that may change the contract with the last poll. */
function compareControllers({
  config: { allowedOwners },
  contract,
  state,
  read,
}: EvaluationContext<Config, State>): EvaluationResult<State> {
  const now = readControllers(read, contract.address);
  const before = state?.controllers;
  if (before?.join() === now.join()) return {};
  const newState = { state: { controllers: now } };
  const added = now.filter((controller) => !before?.includes(controller));
  if (!before || (added.length > 0 && added.every((controller) => isListed(allowedOwners, controller))))
    return newState;
  const [previousOwner, newOwner] = [before, now].map((controllers) => controllers.join(', ') || 'no one');
  return {
    ...newState,
    detections: [
      {
        message: `The controllers of ${contract.name} changed from ${previousOwner} to ${newOwner}.`,
        fields: { event: 'controllers', previousOwner, newOwner },
      },
    ],
  };
}

/** The change that a log reports; undefined for one that lacks what it should name. */
function readChange(log: Log) {
  const cached = events.get(log.key);
  if (!cached) return undefined;
  const { event, office, isPending } = cached;
  const { previous, next } = eventWords(event, log);
  const namesPrevious = event.inputs.some(({ name }) => name === 'previous');
  if (next === undefined || (namesPrevious && previous === undefined)) return undefined;
  const previousOwner = previous && topicAddress(previous);
  return { event: event.name, office, isPending, previousOwner, newOwner: topicAddress(next) };
}

/** An office that nodes cannot answer for now is compared at the next transaction, so that it does not delay events. */
function findSilentChange(
  block: Block,
  { config: { allowedOwners }, contract, state, read }: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const names = state?.held ? Object.keys(state.held) : [...offices.keys(), slotName];
  if (names.length === 0) return {};
  const [before, now] = read.all([
    () => state?.held ?? readOffices(read, contract.address, names, 'parent'),
    () => readOffices(read, contract.address, names, 'block'),
  ]);
  if (!before || !now) return {};
  const changed = Object.entries(now).filter(([name, holder]) => (before[name] ?? holder) !== holder);
  if (state?.held && changed.length === 0) return {};
  const announced = new Set([state?.announced, ...announcedIn(block, contract.address)]);
  const silent = new Map(
    changed.map(([name, holder]) => [`${offices.get(name)?.office} ${holder}`, { name, holder }]),
  );
  return {
    // An office that no longer answers stays as it was.
    state: { held: { ...before, ...now } },
    detections: [...silent.values()]
      .filter(({ holder }) => !announced.has(holder) && !isListed(allowedOwners, holder))
      .map(({ name, holder }) => ({
        part: name,
        message: `${sentence(offices.get(name) ?? proxyAdmin, contract.name, before[name], holder)}. No event reported it.`,
        fields: { getter: name, previousOwner: before[name], newOwner: holder },
      })),
  };
}

/** Holder of each office that the contract answers for; undefined when nodes cannot tell. */
function readOffices(
  read: Reader,
  address: string,
  names: readonly string[],
  moment: 'block' | 'parent',
): Record<string, string> | undefined {
  const words = read.all(names.map((name) => () => read.optional(() => askFor(read, address, name, moment))));
  if (words.includes(undefined)) return undefined;
  return Object.fromEntries(
    zip(names, words).flatMap(([name, word]) =>
      word !== undefined && isOwner(word) ? [[name, topicAddress(word)]] : [],
    ),
  );
}

/** Some contracts answer anything, with a small number. */
function isOwner(word: string): boolean {
  return isAddressTopic(word) && (BigInt(word) === 0n || BigInt(word) >= 2n ** 64n);
}

function askFor(read: Reader, address: string, name: string, moment: 'block' | 'parent'): string {
  const office = offices.get(name);
  if (!office) {
    const word = read.storage(address, adminSlot, moment);
    // Contracts of any other kind have nothing there.
    return /^0x0*$/.test(word) ? '0x' : word;
  }
  const answer = read.call(address, office.data, moment);
  return 'failure' in answer ? '0x' : answer.data;
}

function announcedIn({ logs }: Block, address: string): string[] {
  return logs.flatMap((log) => {
    const change = log.address === address ? readChange(log) : undefined;
    return change ? [change.newOwner] : [];
  });
}

/** Without the full stop. */
function sentence({ office, isPending }: Form, name: string, previous: string | undefined, next: string) {
  const from = previous === undefined || previous === zeroAddress ? '' : ` from ${previous}`;
  if (next === zeroAddress && !isPending)
    return `${name} has no ${office} any more${previous ? `: ${previous} has given it up` : ''}`;
  return `The ${office} of ${name} ${isPending ? 'is about to change' : 'changed'}${from} to ${next}`;
}
