import type { Static } from 'typebox';
import { decodeEvent, functionSelector, parseEvent, topicOf } from '../chains/evm/abi/abi.ts';
import { topicAddress } from '../chains/evm/abi/words.ts';
import { type DescribedCall, describeCall } from '../chains/evm/evidence/describeCall.ts';
import { Configuration, Duration } from '../evidence/parameters.ts';
import { cutText } from '../lib/cutText.ts';
import { parseDuration, showDuration } from '../lib/duration.ts';
import { harmless } from '../lib/harmless.ts';
import { isRecord } from '../lib/isRecord.ts';
import { itemAt } from '../lib/itemAt.ts';
import { showId } from '../lib/showNumber.ts';
import type { Log } from '../model/block.ts';
import { defineDetector, type EvaluationContext } from '../model/detection.ts';

const config = Configuration({
  minDelay: Duration(
    'Time that must pass at least between announcing a call and its execution; less is reported with severity HIGH.',
    '1 day',
  ),
});

type Values = Readonly<Record<string, unknown>>;
type EventDescription = {
  sentence(values: Values, name: string): string;
  /** How many seconds the event leaves until execution. */
  delay?(values: Values, nowSeconds: number): number;
};

/** Governors of OpenZeppelin and Compound, the timelock of OpenZeppelin, then that of Compound; others below. */
const descriptions: Readonly<Record<string, EventDescription>> = {
  'ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)':
    {
      sentence: ({ proposalId, proposer, description }, name) =>
        `${String(proposer)} made proposal ${showId(proposalId)} to ${name}: ${firstLine(description)}`,
    },
  'ProposalQueued(uint256 proposalId, uint256 etaSeconds)': {
    sentence: ({ proposalId }, name) => `Proposal ${showId(proposalId)} of ${name} is queued for execution.`,
    delay: ({ etaSeconds }, now) => Number(etaSeconds) - now,
  },
  'ProposalExecuted(uint256 proposalId)': {
    sentence: ({ proposalId }, name) => `Proposal ${showId(proposalId)} of ${name} was executed.`,
  },
  'ProposalCanceled(uint256 proposalId)': {
    sentence: ({ proposalId }, name) => `Proposal ${showId(proposalId)} of ${name} was cancelled.`,
  },
  'CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)':
    {
      sentence: ({ target, delay }, name) =>
        `${name} will call ${String(target)} in ${showSpan(delay)} at the earliest.`,
      delay: ({ delay }) => Number(delay),
    },
  'CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)': {
    sentence: ({ target }, name) => `${name} executed a scheduled call to ${String(target)}.`,
  },
  'Cancelled(bytes32 indexed id)': {
    sentence: ({ id }, name) => `The scheduled operation ${showId(id)} of ${name} was cancelled.`,
  },
  'MinDelayChange(uint256 oldDuration, uint256 newDuration)': {
    sentence: ({ oldDuration, newDuration }, name) =>
      `The least delay of ${name} changed from ${showSpan(oldDuration)} to ${showSpan(newDuration)}.`,
    delay: ({ newDuration }) => Number(newDuration),
  },
  'QueueTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)':
    {
      sentence: ({ target, signature }, name) =>
        `${name} queued a call of ${harmless(String(signature), 200) || 'a function'} of ${String(target)}.`,
      delay: ({ eta }, now) => Number(eta) - now,
    },
  'ExecuteTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)':
    {
      sentence: ({ target, signature }, name) =>
        `${name} executed a queued call of ${harmless(String(signature), 200) || 'a function'} of ${String(target)}.`,
    },
  'CancelTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)':
    { sentence: ({ target }, name) => `${name} cancelled a queued call to ${String(target)}.` },
  'NewDelay(uint256 indexed newDelay)': {
    sentence: ({ newDelay }, name) => `The delay of ${name} is now ${showSpan(newDelay)}.`,
    delay: ({ newDelay }) => Number(newDelay),
  },
  // Aave: governance and executors of V2, then of V3, whose proposals send payloads to the chains
  'ProposalCreated(uint256 id, address indexed creator, address indexed executor, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, bool[] withDelegatecalls, uint256 startBlock, uint256 endBlock, address strategy, bytes32 ipfsHash)':
    { sentence: ({ id, creator }, name) => `${String(creator)} made proposal ${showId(id)} to ${name}.` },
  'ProposalQueued(uint256 id, uint256 executionTime, address indexed initiatorQueueing)': {
    sentence: ({ id }, name) => `Proposal ${showId(id)} of ${name} is queued for execution.`,
    delay: ({ executionTime }, now) => Number(executionTime) - now,
  },
  'ProposalExecuted(uint256 id, address indexed initiatorExecution)': {
    sentence: ({ id }, name) => `Proposal ${showId(id)} of ${name} was executed.`,
  },
  'QueuedAction(bytes32 actionHash, address indexed target, uint256 value, string signature, bytes data, uint256 executionTime, bool withDelegatecall)':
    {
      sentence: ({ target, signature }, name) =>
        `${name} queued a call of ${String(signature) || 'a function'} of ${String(target)}.`,
      delay: ({ executionTime }, now) => Number(executionTime) - now,
    },
  'ExecutedAction(bytes32 actionHash, address indexed target, uint256 value, string signature, bytes data, uint256 executionTime, bool withDelegatecall, bytes resultData)':
    { sentence: executedAction },
  'ExecutedAction(address indexed target, uint256 value, string signature, bytes data, uint256 executionTime, bool withDelegatecall, bytes resultData)':
    { sentence: executedAction },
  'CancelledAction(bytes32 actionHash, address indexed target, uint256 value, string signature, bytes data, uint256 executionTime, bool withDelegatecall)':
    { sentence: ({ target }, name) => `${name} cancelled a queued call to ${String(target)}.` },
  'ProposalCreated(uint256 indexed proposalId, address indexed creator, uint8 indexed accessLevel, bytes32 ipfsHash)':
    { sentence: madeProposal },
  'VotingActivated(uint256 indexed proposalId, bytes32 indexed snapshotBlockHash, uint24 votingDuration)': {
    sentence: ({ proposalId }, name) => `Voting on proposal ${showId(proposalId)} of ${name} began.`,
  },
  'ProposalQueued(uint256 indexed proposalId, uint128 votesFor, uint128 votesAgainst)': {
    sentence: ({ proposalId }, name) => `Proposal ${showId(proposalId)} of ${name} is queued for execution.`,
  },
  'PayloadCreated(uint40 indexed payloadId, address indexed creator, (address target, bool withDelegateCall, uint8 accessLevel, uint256 value, string signature, bytes callData)[] actions, uint8 indexed maximumAccessLevelRequired)':
    {
      sentence: ({ payloadId, creator }, name) =>
        `${String(creator)} registered payload ${showId(payloadId)} at ${name}.`,
    },
  'PayloadQueued(uint40 payloadId)': {
    sentence: ({ payloadId }, name) => `Payload ${showId(payloadId)} of ${name} is queued for execution.`,
  },
  'PayloadExecuted(uint40 payloadId)': {
    sentence: ({ payloadId }, name) => `Payload ${showId(payloadId)} of ${name} was executed.`,
  },
  'PayloadCancelled(uint40 payloadId)': {
    sentence: ({ payloadId }, name) => `Payload ${showId(payloadId)} of ${name} was cancelled.`,
  },
  // Aragon: votes, the agent that acts for them, and the proposals of its newer organisations (OSx)
  'StartVote(uint256 indexed voteId, address indexed creator, string metadata)': {
    sentence: ({ voteId, creator, metadata }, name) =>
      `${String(creator)} started vote ${showId(voteId)} of ${name}: ${firstLine(metadata)}`,
  },
  'ExecuteVote(uint256 indexed voteId)': {
    sentence: ({ voteId }, name) => `Vote ${showId(voteId)} of ${name} was executed.`,
  },
  'Execute(address indexed caller, address indexed target, uint256 ethValue, bytes data)': {
    sentence: ({ target }, name) => `${name} executed a call to ${String(target)}.`,
  },
  'ChangeSupportRequired(uint64 supportRequiredPct)': {
    sentence: (_values, name) => `The support that a vote of ${name} needs changed.`,
  },
  'ChangeMinQuorum(uint64 minAcceptQuorumPct)': {
    sentence: (_values, name) => `The quorum that a vote of ${name} needs changed.`,
  },
  'ProposalCreated(uint256 indexed proposalId, address indexed creator, uint64 startDate, uint64 endDate, bytes metadata, (address to, uint256 value, bytes data)[] actions, uint256 allowFailureMap)':
    { sentence: madeProposal },
  // Maker and Sky: the spell that the most votes are for may act
  'Lift(address indexed whom)': { sentence: elected },
};

function madeProposal({ proposalId, creator }: Values, name: string): string {
  return `${String(creator)} made proposal ${showId(proposalId)} to ${name}.`;
}

function executedAction({ target, signature }: Values, name: string): string {
  return `${name} executed a queued call of ${String(signature) || 'a function'} of ${String(target)}.`;
}

function elected({ whom }: Values, name: string): string {
  return `${String(whom)} has the most votes of ${name} and may act for it.`;
}

type Reported = EventDescription & { name: string; values(log: Log): Values };

const parsed = Object.entries(descriptions).map(([signature, how]) => ({
  event: parseEvent(signature),
  how,
}));

/** Contracts of Maker note the function that was called, with its first two arguments and all call data, instead of an event. */
const notes: Readonly<Record<string, Omit<Reported, 'name'>>> = {
  'lift(address)': {
    values: ({ indexed }) => ({ whom: topicAddress(itemAt(indexed, 1)) }),
    sentence: elected,
  },
  'plot(address,bytes32,bytes,uint256)': {
    values: plannedCall,
    sentence: ({ target }, name) => `${name} will run the code of ${String(target)} after its delay.`,
    delay: ({ eta }, now) => Number(eta) - now,
  },
  'exec(address,bytes32,bytes,uint256)': {
    values: plannedCall,
    sentence: ({ target }, name) => `${name} ran the code of ${String(target)}.`,
  },
  'drop(address,bytes32,bytes,uint256)': {
    values: plannedCall,
    sentence: ({ target }, name) =>
      `${name} will not run the code of ${String(target)}: the plan is dropped.`,
  },
  'setDelay(uint256)': {
    values: ({ indexed }) => ({ newDelay: BigInt(itemAt(indexed, 1)) }),
    sentence: ({ newDelay }, name) => `The delay of ${name} is now ${showSpan(newDelay)}.`,
    delay: ({ newDelay }) => Number(newDelay),
  },
};

const events = new Map<string, Reported>([
  ...parsed.map(({ event, how }): [string, Reported] => [
    topicOf(event),
    { ...how, name: event.name, values: (log) => decodeEvent(event, log) },
  ]),
  ...Object.entries(notes).map(([signature, how]): [string, Reported] => [
    functionSelector(signature).padEnd(66, '0'),
    { ...how, name: signature.slice(0, signature.indexOf('(')) },
  ]),
]);

const valueNames = new Set(parsed.flatMap(({ event }) => event.inputs.map(({ name }) => name!)));

/** The plan of a pause, whose last value is only in the call data: after a number, a pointer, a length and the selector. */
function plannedCall({ indexed, data }: Log): Values {
  const start = 2 + 3 * 64 + 8 + 3 * 64;
  const eta = data.slice(start, start + 64);
  return { target: topicAddress(itemAt(indexed, 1)), ...(eta === '' ? {} : { eta: BigInt(`0x${eta}`) }) };
}

export const governance = defineDetector<Static<typeof config>, never>({
  name: 'governance',
  title: 'Governance',
  version: '1.0.0',
  category: 'OPERATIONAL',
  severity: 'MEDIUM',
  description:
    'A proposal is made, queued, executed or cancelled, a timelock schedules or executes a call, or its delay changes. HIGH when the delay is below the least that is wanted.',
  faq: 'Which contracts does it understand? Governors of OpenZeppelin and Compound and both timelocks, the governance of Aave, votes of Aragon, and the chief and the pause of Maker; watch the governor and its timelock, since each emits only its own events.',
  nextStep:
    'Read what the proposal or the queued call does. If it is hostile or unknown, cancel or veto it before its delay ends.',
  config,
  fields: ['event', ...valueNames, 'delaySeconds', 'isShort', 'sender'],
  interests: (_config, { address }) => [{ on: 'log', address, keys: [...events.keys()] }],
  evaluate(observation, context) {
    if (observation.type !== 'log') return {};
    const {
      config: { minDelay },
      contract,
    } = context;
    const { log, transaction, block } = observation;
    const reported = events.get(log.key);
    if (!reported) return {};
    const { name, sentence, delay } = reported;
    const values = reported.values(log);
    const delaySeconds = delay?.(values, block.timestamp / 1000);
    const isShort = delaySeconds !== undefined && delaySeconds * 1000 < parseDuration(minDelay);
    const warning = isShort ? ` That is less than the ${minDelay} wanted.` : '';
    return {
      detections: [
        {
          ...(isShort ? { severity: 'HIGH' as const } : {}),
          message:
            [whole(sentence(values, contract.name)), ...details(values, delaySeconds, context)].join(' ') +
            warning,
          fields: {
            event: name,
            ...shortened(values),
            delaySeconds,
            isShort,
            sender: transaction.from,
          },
        },
      ],
    };
  },
});

const maxDescribed = 3;

/** When it can be executed, when votes are cast, and what it calls. */
function details(
  values: Values,
  delaySeconds: number | undefined,
  { contract, chain, read }: EvaluationContext<Static<typeof config>, never>,
): string[] {
  const calls = callsOf(values);
  const described = read.all(
    calls.slice(0, maxDescribed).map((call) => () => describeCall({ read, chain, abi: contract.abi }, call)),
  );
  const more = calls.length > maxDescribed ? ` and ${calls.length - maxDescribed} more` : '';
  const { executionTime, etaSeconds = executionTime, eta = etaSeconds, voteStart, voteEnd } = values;
  return [
    ...(eta !== undefined && delaySeconds !== undefined
      ? [`It can be executed in ${showSpan(delaySeconds)} at the earliest.`]
      : []),
    ...(voteStart !== undefined
      ? [`Votes count from ${showPoint(voteStart)} to ${showPoint(voteEnd)}.`]
      : []),
    ...(described.length > 0 ? [`Calls: ${described.join('; ')}${more}.`] : []),
  ];
}

/** The calls of a proposal or payload, or the one of a timelock; Compound writes the function apart from its values. */
function callsOf(values: Values): DescribedCall[] {
  const { actions } = values;
  if (!Array.isArray(actions)) return plainCallsOf(values);
  return actions
    .filter(isRecord)
    .flatMap(({ to, target = to, data, callData = data, ...rest }) =>
      plainCallsOf({ ...rest, target, data: callData }),
    );
}

function plainCallsOf({
  target,
  targets,
  value,
  values,
  signature,
  signatures,
  data,
  calldatas,
}: Values): DescribedCall[] {
  const lists = [targets ?? [target], values ?? [value], signatures ?? [signature], calldatas ?? [data]];
  const [to, coins, functions, inputs] = lists.map((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  return to!.flatMap((each, place) => {
    const [amount, written, input] = [coins![place], functions![place], inputs![place]];
    if (typeof each !== 'string' || typeof amount !== 'bigint' || typeof input !== 'string') return [];
    const head = typeof written === 'string' && written !== '' ? functionSelector(written) : '0x';
    return [{ to: each, value: amount, data: head === '0x' ? input : head + input.slice(2) }];
  });
}

function showSpan(seconds: unknown): string {
  const span = Number(seconds);
  return span > longestSpan ? 'more than a hundred years' : showDuration(span * 1000);
}

const longestSpan = 100 * 365 * 86_400;

/** Governors count in blocks or in seconds. */
function showPoint(value: unknown): string {
  const point = Number(value);
  return point > 1e9 && point < 1e11 ? new Date(point * 1000).toISOString() : `block ${showId(value)}`;
}

/** A description may end as it likes. */
function whole(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

function firstLine(text: unknown): string {
  const line = String(text)
    .replace(/^#+\s*/, '')
    .split('\n', 1)[0]!
    .trim();
  return line === '' ? 'without a description.' : harmless(line, 200);
}

/** Call data and descriptions may be of any size; an alert keeps their beginning. */
function shortened(values: Values): Values {
  const cut = (value: unknown): unknown =>
    typeof value === 'string'
      ? cutText(value, 2_000)
      : Array.isArray(value)
        ? value.slice(0, 50).map(cut)
        : isRecord(value)
          ? shortened(value)
          : value;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cut(value)]));
}
