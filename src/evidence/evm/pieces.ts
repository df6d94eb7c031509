import { transferTopic } from '../../codecs/evm/transferTopic.ts';
import { topicAddress } from '../../codecs/evm/words.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Log } from '../../model/block.ts';

/** The pieces of a collection (ERC-721) that an account no longer has after a transaction. */
export type LostPieces = {
  readonly collection: string;
  readonly count: number;
  readonly recipients: string[];
};

/** Counts each piece by its last move, so one that goes and comes back is not lost. */
export function lostPieces(logs: readonly Log[], holder: string): LostPieces[] {
  const moves = logs.flatMap((log) => {
    const [from, to, id] = log.indexed;
    if (log.key !== transferTopic || from === undefined || to === undefined || id === undefined) return [];
    return [{ collection: log.address, from: topicAddress(from), to: topicAddress(to), id }];
  });
  return Array.from(
    groupBy(moves, ({ collection }) => collection),
    ([collection, ofCollection]) => {
      const lost = Array.from(groupBy(ofCollection, ({ id }) => id).values()).filter(
        (ofPiece) => ofPiece[0].from === holder && ofPiece.at(-1)!.to !== holder,
      );
      const recipients = [...new Set(lost.map((ofPiece) => ofPiece.at(-1)!.to))];
      return { collection, count: lost.length, recipients };
    },
  ).filter(({ count }) => count > 0);
}
