import { readTokenDecimals, readTokenSymbol } from '../../codecs/evm/tokenMetadata.ts';
import { cutText } from '../../lib/cutText.ts';
import { membersOf } from '../../lib/isRecord.ts';
import type { BlockRef, InnerCall } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { InvalidResponse } from '../net/replies.ts';
import { decodeReceipt } from './decodeBlock.ts';
import { toRevert } from './toRevert.ts';

/** Decodes the reply to a state read; never throws, because one bad reply must not cost the others. */
export function toStateResult(block: BlockRef, question: StateRead, reply: RpcReply): StateResult {
  // Few nodes trace, and those that do not say so in many ways.
  if (question.type === 'trace')
    return { value: { calls: 'error' in reply ? null : innerCalls(reply.result) } };
  if ('error' in reply) {
    const isRun = question.type === 'call' || question.type === 'replay';
    const why = isRun ? toRevert(reply.error) : undefined;
    return why ? { value: { failure: why.reason } } : { missing: reply.error.message };
  }
  if (reply.result === null || isOfAnother(block, reply.result))
    return { missing: `the node has no ${question.type} there` };
  try {
    return { value: read(question, reply.result) };
  } catch {
    const shown = cutText(JSON.stringify(reply.result), 100);
    return { missing: `the ${question.type} that the node sent cannot be read: ${shown}` };
  }
}

/** A receipt of the same transaction in another block. */
function isOfAnother({ hash }: BlockRef, result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'blockHash' in result && result.blockHash !== hash;
}

/** More than any honest transaction has. */
const maxInnerCalls = 10_000;

/** The calls of a call tracer's tree, in order. */
function innerCalls(root: unknown): readonly InnerCall[] | null {
  const found: InnerCall[] = [];
  const waiting = [root];
  while (waiting.length > 0 && found.length < maxInnerCalls) {
    const { type, from, to, calls } = membersOf(waiting.pop());
    if (typeof type !== 'string' || typeof from !== 'string') return null;
    found.push({ type, from: from.toLowerCase(), to: typeof to === 'string' ? to.toLowerCase() : '' });
    const inner: readonly unknown[] = Array.isArray(calls) ? calls : [];
    waiting.push(...inner.toReversed());
  }
  return found;
}

function read(
  { type }: Exclude<StateRead, { type: 'trace' }>,
  result: unknown,
): Extract<StateResult, { value: unknown }>['value'] {
  if (type === 'receipt') return decodeReceipt(result);
  if (typeof result !== 'string') throw new InvalidResponse(`the ${type} is not a text`);
  switch (type) {
    case 'call':
    case 'replay':
      return { data: result };
    case 'balance':
    case 'holding':
    case 'supply':
      return BigInt(result);
    case 'decimals':
      return readTokenDecimals(result);
    case 'symbol':
      return readTokenSymbol(result) ?? '';
    case 'code':
    case 'storage':
      return result;
  }
}
