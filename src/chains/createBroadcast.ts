import type { Endpoints } from './net/createEndpoints.ts';
import type { RpcCall, RpcReply } from './net/createRpc.ts';
import type { Broadcast } from './transactor.ts';

/**
 * Sends transactions to every endpoint, so that one that swallows them, or is slow, holds up none. The same bytes are the same
 * transaction wherever they arrive and however often.
 */
export function createBroadcast(
  { sendToAll }: Pick<Endpoints, 'sendToAll'>,
  toCall: (raw: string) => RpcCall,
  toBroadcast: (reply: RpcReply) => Broadcast,
): (raws: readonly string[]) => Promise<Broadcast[]> {
  return async (raws) =>
    bestOf(raws, await sendToAll(raws.map(toCall), (replies) => replies.map(toBroadcast)));
}

const outcomes = ['accepted', 'stale', 'underpriced', 'refused'] as const;

/** One endpoint that takes a transaction is enough. */
export function bestOf(raws: readonly string[], answers: readonly (readonly Broadcast[])[]): Broadcast[] {
  const rank = ({ outcome }: Broadcast) => outcomes.indexOf(outcome);
  return raws.map((_, index) => {
    const given = answers.flatMap((replies) => replies[index] ?? []);
    return (
      given.sort((a, b) => rank(a) - rank(b))[0] ?? { outcome: 'refused', reason: 'No endpoint answers.' }
    );
  });
}
