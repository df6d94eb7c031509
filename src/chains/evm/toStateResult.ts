import { cutText } from '../../lib/cutText.ts';
import type { BlockRef } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { RpcReply } from './createRpc.ts';
import { decodeReceipt, InvalidResponse } from './decodeBlock.ts';
import { toRevert } from './toRevert.ts';

/** Decodes the reply to a state read; never throws, because one bad reply must not cost the others. */
export function toStateResult(block: BlockRef, question: StateRead, reply: RpcReply): StateResult {
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

function read({ type }: StateRead, result: unknown): Extract<StateResult, { value: unknown }>['value'] {
  if (type === 'receipt') return decodeReceipt(result);
  if (typeof result !== 'string') throw new InvalidResponse(`the ${type} is not a text`);
  switch (type) {
    case 'call':
    case 'replay':
      return { data: result };
    case 'balance':
      return BigInt(result);
    case 'code':
    case 'storage':
      return result;
  }
}
