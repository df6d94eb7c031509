import { type Static, Type } from 'typebox';
import { functionSelector, parseFunction } from '../codecs/evm/abi.ts';
import { logWords, topicAddress, zeroAddress } from '../codecs/evm/words.ts';
import { isListed } from '../evidence/addressList.ts';
import { describeCall } from '../evidence/evm/describeCall.ts';
import { tryCall } from '../evidence/evm/readCall.ts';
import { isSafeTopic, safeEventByTopic, safeEvents, safeEventValue } from '../evidence/evm/safeEvents.ts';
import {
  callsOf,
  delegatesOf,
  type SafeExecution,
  safeExecutions,
  tracedDelegates,
} from '../evidence/evm/safeExecutions.ts';
import { Addresses, Configuration } from '../evidence/parameters.ts';
import { cutText } from '../lib/cutText.ts';
import { type Severity, severityOf } from '../model/alert.ts';
import type { Block, Log, Transaction } from '../model/block.ts';
import {
  type ContractFacts,
  type Detection,
  defineDetector,
  type EvaluationContext,
  type Reader,
} from '../model/detection.ts';
import { severities } from '../model/enumerations.ts';
import { evmDialect } from '../model/family.ts';

/** Consequences of executions that have no event. */
const derived = { DelegateCall: 'HIGH', SingletonChanged: 'CRITICAL', NonceGap: 'HIGH' } as const;
const usual: readonly (readonly [string, Severity])[] = [
  ...safeEvents.map(({ name, severity }) => [name, severity] as const),
  ...Object.entries(derived),
];

const config = Configuration({
  events: Type.Unsafe<Readonly<Record<string, Severity | 'OFF'>>>({
    type: 'object',
    description: 'Severity of each event; OFF for unwanted ones.',
    default: {},
    additionalProperties: false,
    properties: Object.fromEntries(
      usual.map(([name, severity]) => [
        name,
        { type: 'string', enum: ['OFF', ...severities], default: severity },
      ]),
    ),
  }),
  allowedDelegates: Addresses(
    'Contracts whose code the Safe may run as its own by delegatecall, beside the MultiSend contracts of Safe.',
  ),
});

type Config = Static<typeof config>;

export const safeMultisig = defineDetector<Config, never>({
  name: 'safe_multisig',
  title: 'Safe multisig',
  version: '1.1.0',
  category: 'OPERATIONAL',
  families: evmDialect,
  recommendedFor: {
    SAFE: ({ facts: { threshold, owners } }) => ({
      reason: `It is a Safe${threshold && owners ? ` with ${threshold} of ${owners.length} owners` : ''}: changes of owners, modules, guard and code are how one is taken over.`,
    }),
  },
  severity: 'AUTO',
  description:
    'A Safe executes or fails, its owners, threshold, modules, guard or code change, it runs foreign code by delegatecall, or its nonce jumps. The severity of each event is set under events; an execution that gives away or replaces one of your own contracts is HIGH at least.',
  faq: 'Why is a delegatecall not reported? It is seen in the call data of execTransaction and execTransactionFromModule, in the events that Safes on rollups emit, and where a module or a relayer hides it by nodes that trace (debug_traceTransaction); where none does, only if the foreign code writes a log. MultiSend, which batches calls, is expected, and what it runs by delegatecall is reported. That the code was replaced, or that the nonce jumped, is seen in any block in which the Safe or one of its modules executes something.',
  nextStep:
    'Ask the signers whether they meant it. If not, the keys or the interface are compromised: move what the Safe holds with the keys that are left.',
  config,
  fields: [
    'event',
    'safeTxHash',
    'account',
    'threshold',
    'delegate',
    'delegates',
    'singleton',
    'previousSingleton',
    'nonce',
    'expectedNonce',
    'previousNonce',
    'sender',
    'calls',
    'control',
  ],
  interests: ({ events }, { address }) => {
    const hasDerived = Object.keys(derived).some((name) => events[name] !== 'OFF');
    const topics = [...safeEventByTopic].flatMap(([topic, { name }]) =>
      events[name] !== 'OFF' || (hasDerived && executions.has(name)) ? [topic] : [],
    );
    return topics.length > 0 ? [{ on: 'log', address, keys: topics }] : [];
  },
  evaluate(observation, context) {
    if (observation.type !== 'log') return {};
    const { log, transaction, block } = observation;
    const event = safeEventByTopic.get(log.key)!;
    const [word] = logWords(log);
    const detections: Detection[] = [];
    if (word !== undefined) {
      const value = safeEventValue(event, word);
      const calls = executions.has(event.name)
        ? safeExecutions(transaction, log).flatMap((execution) => callsOf(execution))
        : [];
      const fields = {
        event: event.name,
        [event.member]: value,
        sender: transaction.from,
        ...(calls.length > 0 && { calls: calls.slice(0, maxShown).map(toEvidence) }),
      };
      const message = `${event.sentence(context.contract.name, value)}${showCalls(calls, context)}`;
      const isDone = event.name.endsWith('Success');
      const control = calls.filter((call) => isDone && takesControl(call, context.contract));
      detections.push({
        message,
        fields: {
          ...fields,
          ...(control.length > 0 && { control: control.slice(0, maxShown).map(({ to }) => to) }),
        },
      });
    }
    if (executions.has(event.name)) {
      detections.push(...delegateCalls(transaction, log, context));
      if (isResponsible(block, log)) {
        // Both are found by comparing two states; where one is gone, the logs are all there is.
        const changed = context.read.degradable(() => changes(block, transaction, context));
        detections.push(...(changed ?? []));
      }
    }
    return { detections: detections.flatMap((item) => withSeverity(item, context.config)) };
  },
});

const byOwners = ['ExecutionSuccess', 'ExecutionFailure'];
/** With those of modules, which can run foreign code as well. */
const executions: ReadonlySet<string> = new Set([
  ...byOwners,
  'ExecutionFromModuleSuccess',
  'ExecutionFromModuleFailure',
]);

function withSeverity(detection: Detection, { events }: Config): Detection[] {
  const severity = events[String(detection.fields.event)];
  if (severity === undefined || severity === 'OFF') return [];
  const isRaised = detection.fields.control !== undefined && severityOf[severity] < severityOf.HIGH;
  return [{ ...detection, severity: isRaised ? 'HIGH' : severity }];
}

/** Functions by which a contract gets another master, or other code. */
const controlFunctions: ReadonlySet<string> = new Set(
  [
    'transferOwnership(address)',
    'setOwner(address)',
    'changeOwner(address)',
    'transferAdmin(address)',
    'changeAdmin(address)',
    'setAdmin(address)',
    'setPendingAdmin(address)',
    '_setPendingAdmin(address)',
    'beginDefaultAdminTransfer(address)',
    'setGovernance(address)',
    'setAuthority(address)',
    'setUserRole(address,uint8,bool)',
    'grantRole(bytes32,address)',
    'grantRole(uint64,address,uint32)',
    'renounceOwnership()',
    'upgradeTo(address)',
    'upgradeToAndCall(address,bytes)',
    'upgrade(address,address)',
    'upgradeAndCall(address,address,bytes)',
    'setImplementation(address)',
    'diamondCut((address,uint8,bytes4[])[],address,bytes)',
  ].map(functionSelector),
);

/** True for a call that gives one of the tenant's own contracts away. */
function takesControl({ to, data }: SafeExecution, { own: watched = {} }: ContractFacts): boolean {
  return watched[to] !== undefined && controlFunctions.has(data.slice(0, 10));
}

const maxShown = 20;
const maxDescribed = 3;

function showCalls(calls: readonly SafeExecution[], context: EvaluationContext<Config, never>): string {
  if (calls.length === 0) return '';
  const { read, chain, contract } = context;
  const described = read.all(
    calls
      .slice(0, maxDescribed)
      .map(
        (call) => () =>
          `${call.isDelegateCall ? 'by delegatecall ' : ''}${describeCall({ read, chain, abi: contract.abi }, call)}`,
      ),
  );
  const more = calls.length > maxDescribed ? ` and ${calls.length - maxDescribed} more` : '';
  return ` Calls: ${described.join('; ')}${more}.`;
}

/** Call data may be of any size; an alert keeps its beginning. */
function toEvidence({ to, value, isDelegateCall, data }: SafeExecution) {
  return { to, value, isDelegateCall, data: cutText(data, 2_000) };
}

function delegateCalls(
  transaction: Transaction,
  log: Log,
  { contract, config: options, read }: EvaluationContext<Config, never>,
): Detection[] {
  if (options.events.DelegateCall === 'OFF') return [];
  const shown = safeExecutions(transaction, log);
  const all =
    shown.length > 0
      ? shown.flatMap((execution) => delegatesOf(execution))
      : hiddenDelegates(transaction, log, contract.address, read);
  const foreign = [...new Set(all)].filter((delegate) => !isListed(options.allowedDelegates, delegate));
  const [delegate] = foreign;
  if (delegate === undefined) return [];
  const more = foreign.length > 1 ? ` and of ${foreign.length - 1} more` : '';
  return [
    {
      part: 'DelegateCall',
      message: `${contract.name} ran the code of ${delegate}${more} as its own, by delegatecall.`,
      fields: {
        event: 'DelegateCall',
        delegate,
        delegates: foreign.slice(0, maxShown),
        sender: transaction.from,
      },
    },
  ];
}

/**
 * Delegate calls that a module or relayer hides, from traces. Without traces, a log that no Safe writes reveals foreign
 * code, but not its address. Reported at the first execution of the transaction.
 */
function hiddenDelegates({ hash, logs }: Transaction, log: Log, safe: string, read: Reader): string[] {
  const ownLogs = logs.filter(({ address }) => address === safe);
  const first = ownLogs.find(({ key }) => executions.has(safeEventByTopic.get(key)?.name ?? ''));
  if (first?.index !== log.index) return [];
  const [calls, word] = read.all([() => read.trace(hash), () => read.storage(safe, firstSlot, 'parent')]);
  if (calls) return tracedDelegates(calls, safe, slotAddress(word));
  return ownLogs.some(({ key }) => !isSafeTopic(key)) ? [unknownDelegate] : [];
}

const unknownDelegate = 'an unknown contract';

/**
 * True for the execution that counts as the cause of a block's changes: the first with foreign code, or the first.
 * Bounded, because a contract can write any number of logs.
 */
function isResponsible(block: Block, log: Log): boolean {
  const logs = executionLogs(block, log.address, executions).slice(0, maxShown);
  if (!logs.some(({ index }) => index === log.index)) return false;
  const foreign = logs.find((event) => {
    const transaction = block.transactions[event.transactionIndex];
    return (
      transaction && safeExecutions(transaction, event).some((execution) => delegatesOf(execution).length > 0)
    );
  });
  return (foreign ?? logs[0]!).index === log.index;
}

function executionLogs({ logs }: Block, safe: string, names: ReadonlySet<string>): Log[] {
  return logs.filter(
    ({ address, key }) => address === safe && names.has(safeEventByTopic.get(key)?.name ?? ''),
  );
}

/** Changes that foreign code can make to a Safe without an event. Replaced code is not asked for the nonce. */
function changes(
  block: Block,
  { from }: Transaction,
  context: EvaluationContext<Config, never>,
): Detection[] {
  const replaced = replacedCode(from, context);
  return replaced.length > 0 ? replaced : nonceGap(block, context);
}

/** A Safe keeps the address of its code in slot 0, which foreign code can overwrite without an event. */
const firstSlot = `0x${'0'.repeat(64)}`;

function slotAddress(word: string): string {
  return topicAddress(`0x${word.slice(2).padStart(64, '0')}`);
}

function replacedCode(
  sender: string,
  { config: options, contract, read }: EvaluationContext<Config, never>,
): Detection[] {
  if (options.events.SingletonChanged === 'OFF') return [];
  const [before, after] = read
    .all([
      () => read.storage(contract.address, firstSlot, 'parent'),
      () => read.storage(contract.address, firstSlot),
    ])
    .map(slotAddress);
  // In the block in which it was created it had none before.
  if (before === after || before === zeroAddress) return [];
  return [
    {
      part: 'SingletonChanged',
      message: `The code of ${contract.name} was replaced: it is now ${after}, before it was ${before}.`,
      fields: { event: 'SingletonChanged', singleton: after, previousSingleton: before, sender },
    },
  ];
}

const nonceItem = parseFunction('nonce()(uint256)');

/** Each execution by its owners counts the nonce up by one, so any other step was made by foreign code. */
function nonceGap(
  block: Block,
  { config: options, contract, read }: EvaluationContext<Config, never>,
): Detection[] {
  if (options.events.NonceGap === 'OFF') return [];
  const [before, after] = read.all([
    () => tryCall(read, contract.address, nonceItem, [], 'parent'),
    () => tryCall(read, contract.address, nonceItem),
  ]);
  if ('failure' in before || 'failure' in after) return [];
  const [previous, nonce] = [before, after].map(({ results }) => BigInt(String(results[0])));
  const count = executionLogs(block, contract.address, new Set(byOwners)).length;
  const expected = previous! + BigInt(count);
  if (nonce === expected) return [];
  return [
    {
      part: 'NonceGap',
      message: `The nonce of ${contract.name} is ${nonce} instead of ${expected}: it changed without an execution.`,
      fields: { event: 'NonceGap', nonce, expectedNonce: expected, previousNonce: previous },
    },
  ];
}
