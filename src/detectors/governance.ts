import type { Static } from 'typebox';
import { decodeEvent, parseEvent, topicOf } from '../chains/evm/abi/abi.ts';
import { Configuration, Duration } from '../evidence/parameters.ts';
import { cutText } from '../lib/cutText.ts';
import { parseDuration } from '../lib/duration.ts';
import { defineDetector } from '../model/detection.ts';

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

/** Governors of OpenZeppelin and Compound, the timelock of OpenZeppelin, then that of Compound. */
const descriptions: Readonly<Record<string, EventDescription>> = {
  'ProposalCreated(uint256 proposalId, address proposer, address[] targets, uint256[] values, string[] signatures, bytes[] calldatas, uint256 voteStart, uint256 voteEnd, string description)':
    {
      sentence: ({ proposalId, proposer, description }, name) =>
        `${String(proposer)} made proposal ${String(proposalId)} to ${name}: ${firstLine(description)}`,
    },
  'ProposalQueued(uint256 proposalId, uint256 etaSeconds)': {
    sentence: ({ proposalId }, name) => `Proposal ${String(proposalId)} of ${name} is queued for execution.`,
    delay: ({ etaSeconds }, now) => Number(etaSeconds) - now,
  },
  'ProposalExecuted(uint256 proposalId)': {
    sentence: ({ proposalId }, name) => `Proposal ${String(proposalId)} of ${name} was executed.`,
  },
  'ProposalCanceled(uint256 proposalId)': {
    sentence: ({ proposalId }, name) => `Proposal ${String(proposalId)} of ${name} was cancelled.`,
  },
  'CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)':
    {
      sentence: ({ target, delay }, name) =>
        `${name} will call ${String(target)} in ${String(delay)} seconds at the earliest.`,
      delay: ({ delay }) => Number(delay),
    },
  'CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)': {
    sentence: ({ target }, name) => `${name} executed a scheduled call to ${String(target)}.`,
  },
  'Cancelled(bytes32 indexed id)': {
    sentence: ({ id }, name) => `The scheduled operation ${String(id)} of ${name} was cancelled.`,
  },
  'MinDelayChange(uint256 oldDuration, uint256 newDuration)': {
    sentence: ({ oldDuration, newDuration }, name) =>
      `The least delay of ${name} changed from ${String(oldDuration)} to ${String(newDuration)} seconds.`,
    delay: ({ newDuration }) => Number(newDuration),
  },
  'QueueTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)':
    {
      sentence: ({ target, signature }, name) =>
        `${name} queued a call of ${String(signature) || 'a function'} of ${String(target)}.`,
      delay: ({ eta }, now) => Number(eta) - now,
    },
  'ExecuteTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)':
    {
      sentence: ({ target, signature }, name) =>
        `${name} executed a queued call of ${String(signature) || 'a function'} of ${String(target)}.`,
    },
  'CancelTransaction(bytes32 indexed txHash, address indexed target, uint256 value, string signature, bytes data, uint256 eta)':
    { sentence: ({ target }, name) => `${name} cancelled a queued call to ${String(target)}.` },
  'NewDelay(uint256 indexed newDelay)': {
    sentence: ({ newDelay }, name) => `The delay of ${name} is now ${String(newDelay)} seconds.`,
    delay: ({ newDelay }) => Number(newDelay),
  },
};

const events = new Map(
  Object.entries(descriptions).map(([signature, how]) => {
    const event = parseEvent(signature);
    return [topicOf(event), { event, ...how }];
  }),
);

const valueNames = new Set(
  [...events.values()].flatMap(({ event }) => event.inputs.map(({ name }) => name!)),
);

export const governance = defineDetector<Static<typeof config>, never>({
  name: 'governance',
  title: 'Governance',
  version: '1.0.0',
  category: 'OPERATIONAL',
  severity: 'MEDIUM',
  description:
    'A proposal is made, queued, executed or cancelled, a timelock schedules or executes a call, or its delay changes. HIGH when the delay is below the least that is wanted.',
  faq: 'Which contracts does it understand? Governors of OpenZeppelin and Compound and both timelocks; watch the governor and its timelock, since each emits only its own events.',
  config,
  fields: ['event', ...valueNames, 'delaySeconds', 'isShort', 'sender'],
  interests: (_config, { address }) => [{ on: 'log', address, keys: [...events.keys()] }],
  evaluate(observation, { config: { minDelay }, contract }) {
    if (observation.type !== 'log') return {};
    const { log, transaction, block } = observation;
    const { event, sentence, delay } = events.get(log.key)!;
    const values = decodeEvent(event, log);
    const delaySeconds = delay?.(values, block.timestamp / 1000);
    const isShort = delaySeconds !== undefined && delaySeconds * 1000 < parseDuration(minDelay);
    const warning = isShort ? ` That is less than the ${minDelay} wanted.` : '';
    return {
      detections: [
        {
          ...(isShort ? { severity: 'HIGH' as const } : {}),
          message: sentence(values, contract.name) + warning,
          fields: {
            event: event.name,
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

function firstLine(text: unknown): string {
  const line = String(text)
    .replace(/^#+\s*/, '')
    .split('\n', 1)[0]!
    .trim();
  return line === '' ? 'without a description.' : cutText(line, 200);
}

/** Call data and descriptions may be of any size; an alert keeps their beginning. */
function shortened(values: Values): Values {
  const cut = (value: unknown): unknown =>
    typeof value === 'string'
      ? cutText(value, 2_000)
      : Array.isArray(value)
        ? value.slice(0, 50).map(cut)
        : value;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cut(value)]));
}
