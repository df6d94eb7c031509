import { eventTopic, functionSelector, topicAddress, wordAt } from '../lib/abi.ts';
import type { Log, Transaction } from '../model/block.ts';

export type SafeExecution = { readonly to: string; readonly value: bigint; readonly isDelegateCall: boolean };

const announced = eventTopic(
  'SafeMultiSigTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes,bytes)',
);
const execute = functionSelector(
  'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
);

/**
 * What a Safe executed when it emitted this log: told by the log before it, which Safes on rollups write, or by the call
 * data when the transaction calls the Safe itself; undefined when a relayer hides it.
 */
export function safeExecution({ to, input, logs }: Transaction, log: Log): SafeExecution | undefined {
  const before = logs.filter(
    ({ address, topics, index }) => address === log.address && topics[0] === announced && index < log.index,
  );
  const data = before.at(-1)?.data;
  if (data !== undefined) return decode(data);
  return to === log.address && input.startsWith(execute) ? decode(`0x${input.slice(10)}`) : undefined;
}

/** Both have target, amount, place of the data and operation as their first words. */
function decode(data: string): SafeExecution | undefined {
  if (data.length < 2 + 4 * 64) return undefined;
  return {
    to: topicAddress(data.slice(0, 66)),
    value: wordAt(data, 1),
    isDelegateCall: wordAt(data, 3) === 1n,
  };
}
