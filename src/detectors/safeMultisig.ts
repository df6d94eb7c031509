import { type Static, Type } from 'typebox';
import { isListed } from '../evidence/isListed.ts';
import { logWords } from '../evidence/logWords.ts';
import { Addresses, Configuration } from '../evidence/parameters.ts';
import { tryCall } from '../evidence/readCall.ts';
import { safeEventByTopic, safeEvents, safeEventValue } from '../evidence/safeEvents.ts';
import { safeExecution } from '../evidence/safeExecution.ts';
import { parseFunction, topicAddress } from '../lib/abi.ts';
import type { Severity } from '../model/alert.ts';
import type { Block, Log, Transaction } from '../model/block.ts';
import { defineDetector, type Found, type Sight } from '../model/detection.ts';
import { severities } from '../model/enumerations.ts';

/** What follows from executions without an event of its own. */
const derived = { DelegateCall: 'HIGH', SingletonChanged: 'CRITICAL', NonceGap: 'HIGH' } as const;
const usual: readonly (readonly [string, Severity])[] = [
  ...safeEvents.map(({ name, severity }) => [name, severity] as const),
  ...Object.entries(derived),
];

const config = Configuration({
  events: Type.Unsafe<Readonly<Record<string, Severity | 'OFF'>>>({
    type: 'object',
    description: 'How bad each event is; OFF for those that are not wanted.',
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
/** The nonce after the last block with an execution. */
type State = { nonce: string; block: number };

export const safeMultisig = defineDetector<Config, State>({
  name: 'safe_multisig',
  title: 'Safe multisig',
  version: '1.0.0',
  category: 'OPERATIONAL',
  severity: 'AUTO',
  description:
    'A Safe executes or fails, its owners, threshold, modules, guard or code change, it runs foreign code by delegatecall, or its nonce jumps. The severity of each event is set under events.',
  faq: 'Why is a delegatecall not told? It is seen in the call data of execTransaction, or in the event that Safes on rollups emit; a relayer on another chain hides it. MultiSend, which batches calls, is expected.',
  config,
  fields: [
    'event',
    'safeTxHash',
    'account',
    'threshold',
    'delegate',
    'singleton',
    'previousSingleton',
    'nonce',
    'expectedNonce',
    'previousNonce',
    'sender',
  ],
  interests: ({ events }, { address }) => {
    const hasDerived = Object.keys(derived).some((name) => events[name] !== 'OFF');
    const topics = [...safeEventByTopic].flatMap(([topic, { name }]) =>
      events[name] !== 'OFF' || (hasDerived && executions.includes(name)) ? [topic] : [],
    );
    return topics.length > 0 ? [{ on: 'log', address, topics }] : [];
  },
  evaluate(observation, sight) {
    if (observation.type !== 'log') return {};
    const { log, transaction, block } = observation;
    const event = safeEventByTopic.get(log.topics[0]!)!;
    const [word] = logWords(log);
    if (word === undefined) return {};
    const value = safeEventValue(event, word);
    const found: Found[] = [
      {
        message: event.sentence(sight.contract.name, value),
        fields: { event: event.name, [event.member]: value, sender: transaction.from },
      },
    ];
    const isExecution = executions.includes(event.name);
    if (isExecution) found.push(...delegateCalls(transaction, log, sight));
    const nonce = isExecution ? checkNonce(block, log, sight) : {};
    return {
      ...(nonce.state ? { state: nonce.state } : {}),
      found: [...found, ...(nonce.found ?? [])].flatMap((item) => withSeverity(item, sight.config)),
    };
  },
});

const executions = ['ExecutionSuccess', 'ExecutionFailure'];

function withSeverity(found: Found, { events }: Config): Found[] {
  const severity = events[String(found.fields.event)];
  return severity === undefined || severity === 'OFF' ? [] : [{ ...found, severity }];
}

/** MultiSend and MultiSendCallOnly of 1.3.0 (both deployments) and 1.4.1, which every batch of a Safe runs through. */
const multiSend = [
  '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761',
  '0x998739bfdaadde7c933b942a68053933098f9eda',
  '0x40a2accbd92bca938b02010e17a5b8929b49130d',
  '0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b',
  '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526',
  '0x9641d764fc13c8b624c04430c7356c1c7c8102e2',
];

function delegateCalls(transaction: Transaction, log: Log, sight: Sight<Config, State>): Found[] {
  const execution = safeExecution(transaction, log);
  if (!execution?.isDelegateCall || multiSend.includes(execution.to)) return [];
  const { contract, read, config: options } = sight;
  if (isListed(options.allowedDelegates, execution.to)) return [];
  const fields = { delegate: execution.to, sender: transaction.from };
  const found: Found[] = [
    {
      part: 'DelegateCall',
      message: `${contract.name} ran the code of ${execution.to} as its own, by delegatecall.`,
      fields: { event: 'DelegateCall', ...fields },
    },
  ];
  if (options.events.SingletonChanged === 'OFF') return found;
  // A Safe keeps the address of its code in slot 0, which foreign code can overwrite without an event.
  const slot = `0x${'0'.repeat(64)}`;
  const [before, after] = read
    .all([() => read.storage(contract.address, slot, 'parent'), () => read.storage(contract.address, slot)])
    .map((word) => topicAddress(`0x${word.slice(2).padStart(64, '0')}`));
  if (before === after) return found;
  return [
    ...found,
    {
      part: 'SingletonChanged',
      message: `The code of ${contract.name} was replaced by a delegatecall to ${execution.to}: it is now ${after}, before it was ${before}.`,
      fields: { event: 'SingletonChanged', singleton: after, previousSingleton: before, ...fields },
    },
  ];
}

const nonceItem = parseFunction('nonce()(uint256)');

/** Once in a block: each execution counts the nonce up by one, so any other step was made elsewhere. */
function checkNonce(
  block: Block,
  log: Log,
  { config: options, contract, state, read }: Sight<Config, State>,
): { state?: State; found?: Found[] } {
  if (options.events.NonceGap === 'OFF' || state?.block === block.number) return {};
  const count = block.logs.filter(
    ({ address, topics }) =>
      address === log.address && executions.includes(safeEventByTopic.get(topics[0] ?? '')?.name ?? ''),
  ).length;
  const answer = tryCall(read, contract.address, nonceItem);
  if ('failure' in answer) return {};
  const nonce = BigInt(String(answer.results[0]));
  const after = { state: { nonce: String(nonce), block: block.number } };
  const expected = state === undefined ? nonce : BigInt(state.nonce) + BigInt(count);
  if (nonce === expected) return after;
  return {
    ...after,
    found: [
      {
        part: 'NonceGap',
        message: `The nonce of ${contract.name} is ${nonce} instead of ${expected}: it changed without an execution.`,
        fields: { event: 'NonceGap', nonce, expectedNonce: expected, previousNonce: state?.nonce },
      },
    ],
  };
}
