import type { TraceLimits } from '../../chainClient.ts';
import { type AnswerLimits, answerKinds, limitsOf } from '../../net/answerLimits.ts';
import type { RpcCall } from '../../net/rpc.ts';

const MiB = 1024 * 1024;

export const traceLimits: TraceLimits = {
  blockBytes: answerKinds.trace.maxBytes,
  transactionBytes: 256 * MiB,
  keptBytes: 64 * MiB,
  ms: 60_000,
};

/** A transaction may be more than a block: all that it has is read in pieces, of which little is kept. */
export function answerLimits(
  { blockBytes, transactionBytes }: TraceLimits,
  call: RpcCall | undefined,
): AnswerLimits {
  const isOne = call !== undefined && oneTransaction.has(call.method);
  return {
    ...(call ? limitsOf([call]) : answerKinds.trace),
    maxBytes: isOne ? transactionBytes : blockBytes,
  };
}

const oneTransaction: ReadonlySet<string> = new Set(['debug_traceTransaction', 'trace_transaction']);
