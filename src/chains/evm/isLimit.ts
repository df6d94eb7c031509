import type { RpcReply } from '../net/createRpc.ts';
import { toRevert } from './toRevert.ts';

/** The same endpoint will answer later. What a contract says when it reverts may sound like that, and is an answer. */
export function isLimit(reply: RpcReply): boolean {
  if (!('error' in reply) || toRevert(reply.error)) return false;
  const { code, message } = reply.error;
  return code === -32005 || code === 429 || /rate limit|too many requests|temporarily/i.test(message);
}
