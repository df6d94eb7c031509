import { cutText } from '../../lib/cutText.ts';
import type { BlockRef } from '../../model/block.ts';
import type { Answer, Question } from '../../model/question.ts';
import { BadAnswer, decodeReceipt } from './decodeBlock.ts';
import type { RpcReply } from './rpc.ts';
import { whyReverted } from './whyReverted.ts';

/** What a reply says to a question about a block; never an error, because one bad reply must not cost the others. */
export function toAnswer(block: BlockRef, question: Question, reply: RpcReply): Answer {
  if ('error' in reply) {
    const isRun = question.type === 'call' || question.type === 'replay';
    const why = isRun ? whyReverted(reply.error) : undefined;
    return why ? { value: { reverted: why.reason } } : { missing: reply.error.message };
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

function read({ type }: Question, result: unknown): Extract<Answer, { value: unknown }>['value'] {
  if (type === 'receipt') return decodeReceipt(result);
  if (typeof result !== 'string') throw new BadAnswer(`the ${type} is not a text`);
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
