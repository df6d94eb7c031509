import type { Log, Transaction } from '../../../model/block.ts';
import { eventTopic, functionSelector, topicAddress } from '../abi/abi.ts';
import { bytesAt } from '../abi/bytesAt.ts';

export type SafeExecution = { readonly to: string; readonly isDelegateCall: boolean; readonly data: string };

const announced = eventTopic(
  'SafeMultiSigTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes,bytes)',
);
const execute = functionSelector(
  'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
);
const executed = ['ExecutionSuccess(bytes32,uint256)', 'ExecutionFailure(bytes32,uint256)'].map(eventTopic);

/**
 * What a Safe executed up to this log and after the execution before it: told by logs, which Safes on rollups write, or by
 * the call data when the transaction calls the Safe itself; nothing when a relayer hides it. Code that a Safe runs as its
 * own can write such logs as well, so that all of them count and none hides another.
 */
export function safeExecutions({ to, input, logs }: Transaction, log: Log): SafeExecution[] {
  const own = logs.filter(({ address }) => address === log.address);
  const isOf = (topics: readonly string[], each: Log) => topics.includes(each.key);
  if (own.some((each) => isOf([announced], each))) {
    const since = own.findLast((each) => each.index < log.index && isOf(executed, each))?.index ?? -1;
    return own
      .filter((each) => each.index > since && each.index < log.index && isOf([announced], each))
      .flatMap(({ data }) => decode(data));
  }
  return to === log.address && input.startsWith(execute) ? decode(`0x${input.slice(10)}`) : [];
}

/** Both have target, amount, place of the data and operation as their first words. */
function decode(data: string): SafeExecution[] {
  const [to, , , operation] = data.slice(2).match(/.{64}/g) ?? [];
  if (to === undefined || operation === undefined) return [];
  return [
    { to: topicAddress(`0x${to}`), isDelegateCall: BigInt(`0x${operation}`) === 1n, data: bytesAt(data, 2) },
  ];
}
