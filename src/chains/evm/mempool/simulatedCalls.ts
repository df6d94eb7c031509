import { membersOf } from '../../../lib/isRecord.ts';
import type { RpcCall } from '../../net/createRpc.ts';
import { InvalidResponse } from '../../net/replies.ts';
import type { BlockOverrides } from './nextBlock.ts';

/** Calls one after the other in a block that does not exist, without looking at nonces and fees. */
export function toSimulateCall(
  calls: readonly unknown[],
  traceTransfers: boolean,
  at: string,
  blockOverrides?: BlockOverrides,
): RpcCall {
  const block = blockOverrides ? { blockOverrides, calls } : { calls };
  return {
    method: 'eth_simulateV1',
    params: [{ blockStateCalls: [block], traceTransfers, validation: false }, at],
  };
}

/** The calls of the first simulated block. */
export function callsOf(result: unknown): readonly unknown[] {
  const { calls } = membersOf(Array.isArray(result) ? result[0] : undefined);
  if (!Array.isArray(calls)) throw new InvalidResponse('a simulated block has no calls');
  return calls;
}
