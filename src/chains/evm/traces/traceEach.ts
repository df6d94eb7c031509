import type { Block, BlockFrames, Frame, Transaction } from '../../../model/block.ts';
import { NotTraced } from '../../../model/traceState.ts';
import type { TraceLimits, TraceOptions } from '../../chainClient.ts';

type Options = TraceOptions & { limits: TraceLimits; now: () => number };

/** Memory of a frame beside its texts. */
const frameBytes = 300;

/**
 * Traces transactions one by one, those of interest first, then the smallest, so an oversized transaction takes nothing
 * from the rest. Traces that are too large, or beyond the block's budget, are undefined.
 */
export async function traceEach(
  { transactions }: Block,
  trace: (transaction: Transaction) => Promise<BlockFrames>,
  { isFirst = () => false, isHard = false, only = transactions, limits, now }: Options,
): Promise<BlockFrames> {
  const traced = transactions.map((): readonly Frame[] | undefined => undefined);
  const endAt = now() + limits.ms;
  let room = limits.keptBytes;
  let failure: NotTraced | undefined;
  const turns = only
    .map((transaction) => ({ transaction, rank: isFirst(transaction) ? 0 : 1, gas: transaction.gas ?? 0n }))
    .sort((a, b) => a.rank - b.rank || Number(a.gas - b.gas));
  for (const { transaction } of turns) {
    if (room <= 0 || now() >= endAt) break;
    try {
      const [frames = []] = await trace(transaction);
      traced[transaction.index] = frames;
      room -= frames.reduce(
        (sum, { input, output = '' }) => sum + input.length + output.length + frameBytes,
        0,
      );
    } catch (error) {
      if (!(error instanceof NotTraced) || !isOfOne(error, { isHard })) throw error;
      failure = error;
    }
  }
  // Nodes that answer for none are in trouble themselves.
  if (failure?.reason === 'unanswered' && !traced.some(Boolean)) throw failure;
  return traced;
}

/** True if a single transaction may have prevented the traces. */
export function isOfOne({ reason }: NotTraced, { isHard = false }: TraceOptions): boolean {
  return reason === 'too large' || (isHard && reason === 'unanswered');
}
