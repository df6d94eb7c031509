import type { RpcReply } from './createRpc.ts';

/** The ways in which nodes and providers say that they have no such call, or not for this account. */
const unknownMethod =
  /method.*(not (found|exist|supported|available|allowed|whitelisted)|disabled|unknown|forbidden)|(unsupported|unknown|invalid|forbidden) method|not (supported|available) on|upgrade|plan/i;

export function isUnknownCall(reply: RpcReply): boolean {
  if (!('error' in reply)) return false;
  const { code, message } = reply.error;
  // A limit on requests passes.
  if (code === -32005 || code === 429) return false;
  return code === -32601 || code === -32004 || unknownMethod.test(message);
}
