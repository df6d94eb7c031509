import { decodeEvent, functionSelector, parseEvent, topicOf } from '../../codecs/evm/abi.ts';
import { topicAddress } from '../../codecs/evm/words.ts';
import { showDuration } from '../../lib/duration.ts';
import { harmless } from '../../lib/harmless.ts';
import { itemAt } from '../../lib/itemAt.ts';
import { showId } from '../../lib/showNumber.ts';
import type { Log } from '../../model/block.ts';

/** The values of an event, by the names of its arguments. */
export type EventValues = Readonly<Record<string, unknown>>;
type EventDescription = {
  sentence(values: EventValues, name: string): string;
  /** Seconds from the event until execution. */
  delay?(values: EventValues, nowSeconds: number): number;
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

function madeProposal({ proposalId, creator }: EventValues, name: string): string {
  return `${String(creator)} made proposal ${showId(proposalId)} to ${name}.`;
}

function executedAction({ target, signature }: EventValues, name: string): string {
  return `${name} executed a queued call of ${String(signature) || 'a function'} of ${String(target)}.`;
}

function elected({ whom }: EventValues, name: string): string {
  return `${String(whom)} has the most votes of ${name} and may act for it.`;
}

type Reported = EventDescription & { name: string; values(log: Log): EventValues };

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

/** Events of governors, timelocks, votes and chiefs, by topic. */
export const governanceEvents: ReadonlyMap<string, Reported> = new Map<string, Reported>([
  ...parsed.map(({ event, how }): [string, Reported] => [
    topicOf(event),
    { ...how, name: event.name, values: (log) => decodeEvent(event, log) },
  ]),
  ...Object.entries(notes).map(([signature, how]): [string, Reported] => [
    functionSelector(signature).padEnd(66, '0'),
    { ...how, name: signature.slice(0, signature.indexOf('(')) },
  ]),
]);

export const governanceValues: ReadonlySet<string> = new Set(
  parsed.flatMap(({ event }) => event.inputs.map(({ name }) => name!)),
);

/** The plan of a pause, whose last value is only in the call data: after a number, a pointer, a length and the selector. */
function plannedCall({ indexed, data }: Log): EventValues {
  const start = 2 + 3 * 64 + 8 + 3 * 64;
  const eta = data.slice(start, start + 64);
  return { target: topicAddress(itemAt(indexed, 1)), ...(eta === '' ? {} : { eta: BigInt(`0x${eta}`) }) };
}

export function showSpan(seconds: unknown): string {
  const span = Number(seconds);
  return span > longestSpan ? 'more than a hundred years' : showDuration(span * 1000);
}

const longestSpan = 100 * 365 * 86_400;

function firstLine(text: unknown): string {
  const line = String(text)
    .replace(/^#+\s*/, '')
    .split('\n', 1)[0]!
    .trim();
  return line === '' ? 'without a description.' : harmless(line, 200);
}
