import type { Block, BlockFrames, Frame, Transaction } from '../../../model/block.ts';
import { NotTraced } from '../../../model/traceState.ts';
import type { TraceLimits, TraceOptions } from '../../chainClient.ts';

type Options = TraceOptions & { limits: TraceLimits; now: () => number };

/** Memory of a frame beside its texts. */
const frameBytes = 300;
/** Of the budget, what a transaction may take with whole inputs: two that cost next to nothing would use it up otherwise. */
const fairShares = 16;
/** A selector and ten words. */
const shortLength = 2 + 8 + 10 * 64;

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
      const [whole = []] = await trace(transaction);
      const frames = weigh(whole) > limits.keptBytes / fairShares ? whole.map(shorten) : whole;
      traced[transaction.index] = frames;
      room -= weigh(frames);
    } catch (error) {
      if (!(error instanceof NotTraced) || !isOfOne(error, { isHard })) throw error;
      failure = error;
    }
  }
  // Nodes that answer for none are in trouble themselves.
  if (failure?.reason === 'unanswered' && !traced.some(Boolean)) throw failure;
  return traced;
}

function weigh(frames: readonly Frame[]): number {
  return frames.reduce((sum, { input, output = '' }) => sum + input.length + output.length + frameBytes, 0);
}

/** Leaves creation codes whole, because their caller pays for each byte. */
function shorten(frame: Frame): Frame {
  const { type, input, inputLength = input.length } = frame;
  if (type === 'CREATE' || type === 'CREATE2' || input.length <= shortLength) return frame;
  // A part of a text would keep the whole of it in memory.
  const head = Buffer.from(input.slice(0, shortLength), 'latin1').toString('latin1');
  return { ...frame, input: head, inputLength };
}

/** True if a single transaction may have prevented the traces. */
export function isOfOne({ reason }: NotTraced, { isHard = false }: TraceOptions): boolean {
  return reason === 'too large' || (isHard && reason === 'unanswered');
}
