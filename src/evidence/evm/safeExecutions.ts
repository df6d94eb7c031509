import { eventTopic, functionSelector } from '../../codecs/evm/abi.ts';
import { safeExecutionEvents } from '../../codecs/evm/eventSignatures.ts';
import { bytesAt, sizeAt, topicAddress } from '../../codecs/evm/words.ts';
import type { InnerCall, Log, Transaction } from '../../model/block.ts';

export type SafeExecution = {
  readonly to: string;
  readonly value: bigint;
  readonly isDelegateCall: boolean;
  readonly data: string;
};

/** Events by which Safes on rollups announce what they execute, and at which word target, amount, data and operation begin. */
const announced: ReadonlyMap<string, number> = new Map([
  [
    eventTopic(
      'SafeMultiSigTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes,bytes)',
    ),
    0,
  ],
  [eventTopic('SafeModuleTransaction(address,address,uint256,bytes,uint8)'), 1],
]);
/** Functions by which owners and modules have a Safe execute something. */
const execute = [
  'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
  'execTransactionFromModule(address,uint256,bytes,uint8)',
  'execTransactionFromModuleReturnData(address,uint256,bytes,uint8)',
].map(functionSelector);
const executed = Object.values(safeExecutionEvents).map(eventTopic);

/**
 * Executions of a Safe between the one before and this log, from logs of rollup Safes or from call data. Code run by
 * the Safe can write such logs, too, so all count and none hides another.
 */
export function safeExecutions({ to, input, logs }: Transaction, log: Log): SafeExecution[] {
  const safeLogs = logs.filter(({ address }) => address === log.address);
  if (safeLogs.some(({ key }) => announced.has(key))) {
    const since =
      safeLogs.findLast((event) => event.index < log.index && executed.includes(event.key))?.index ?? -1;
    return safeLogs
      .filter(({ index }) => index > since && index < log.index)
      .flatMap(({ key, data }) => (announced.has(key) ? decode(data, announced.get(key)!) : []));
  }
  return to === log.address && execute.includes(input.slice(0, 10)) ? decode(`0x${input.slice(10)}`, 0) : [];
}

/** All have target, amount, place of the data and operation in a row. */
function decode(data: string, first: number): SafeExecution[] {
  const [to, value, , operation] = data.slice(2 + 64 * first).match(/.{64}/g) ?? [];
  if (to === undefined || value === undefined || operation === undefined) return [];
  const isDelegateCall = BigInt(`0x${operation}`) === 1n;
  return [
    {
      to: topicAddress(`0x${to}`),
      value: BigInt(`0x${value}`),
      isDelegateCall,
      data: bytesAt(data, first + 2),
    },
  ];
}

/** MultiSend of 1.3.0 (both deployments) and 1.4.1, which hands each item of a batch on as a call or as a delegatecall. */
const multiSends = [
  '0xa238cbeb142c10ef7ad8442c6d1f9e89e07e7761',
  '0x998739bfdaadde7c933b942a68053933098f9eda',
  '0x38869bf66a61cf6bdb996a6ae40d5853fd43b526',
];
/** MultiSendCallOnly of the same, which makes calls only. */
const callsOnly = [
  '0x40a2accbd92bca938b02010e17a5b8929b49130d',
  '0xa1dabef33b3b82c7814b6d82a79e50f4ac44102b',
  '0x9641d764fc13c8b624c04430c7356c1c7c8102e2',
];
/** Nobody nests batches so deep who has nothing to hide. */
const maxDepth = 5;

/** The contracts whose code an execution runs as that of the Safe, seen through the batches of Safe's own contracts. */
export function delegatesOf(execution: Omit<SafeExecution, 'value'>, depth = 0): string[] {
  const { to, isDelegateCall, data } = execution;
  if (!isDelegateCall || callsOnly.includes(to)) return [];
  if (!multiSends.includes(to) || depth === maxDepth) return [to];
  return itemsOf(data).flatMap((item) => delegatesOf(item, depth + 1));
}

/** The calls of an execution, also through the batches of Safe's own contracts. */
export function callsOf(execution: SafeExecution, depth = 0): SafeExecution[] {
  const isBatch = [...multiSends, ...callsOnly].includes(execution.to);
  const items = isBatch && depth < maxDepth ? itemsOf(execution.data) : [];
  return items.length === 0 ? [execution] : items.flatMap((item) => callsOf(item, depth + 1));
}

/** The contracts whose code ran as that of the Safe by what a node traced. */
export function tracedDelegates(calls: readonly InnerCall[], safe: string, singleton: string): string[] {
  const expected = [singleton, ...multiSends, ...callsOnly];
  return calls.flatMap(({ type, from, to }) =>
    type === 'DELEGATECALL' && from === safe && !expected.includes(to) ? [to] : [],
  );
}

const multiSend = functionSelector('multiSend(bytes)');

/**
 * The items of a batch, packed without gaps: operation (1 byte), target (20), amount (32), length of the data (32), data. A
 * last one that is cut off counts, because MultiSend executes it too.
 */
function itemsOf(data: string): SafeExecution[] {
  if (!data.startsWith(multiSend)) return [];
  const packed = bytesAt(`0x${data.slice(10)}`, 0).slice(2);
  const items: SafeExecution[] = [];
  for (let index = 0; index + 42 <= packed.length; ) {
    const end = index + 170 + 2 * sizeAt(packed, index + 106);
    items.push({
      to: `0x${packed.slice(index + 2, index + 42)}`,
      value: BigInt(`0x${packed.slice(index + 42, index + 106) || '0'}`),
      isDelegateCall: packed.slice(index, index + 2) === '01',
      data: `0x${packed.slice(index + 170, end)}`,
    });
    index = end;
  }
  return items;
}
