import type { Block, BlockFrames } from '../model/block.ts';
import { NotTraced } from '../model/traceState.ts';
import type { createSubscriptionIndex } from './createSubscriptionIndex.ts';
import type { Matches } from './matches.ts';

type Client = { readonly tracer?: { frames(block: Block): Promise<BlockFrames> } };

/** What only traces show of a block, or why it is not known; nothing where no one wants it. */
export async function matchInner(
  { tracer }: Client,
  index: ReturnType<typeof createSubscriptionIndex>,
  block: Block,
): Promise<{ matches: Matches; failure?: string }> {
  if (!tracer || !index.wantsTraces()) return { matches: new Map() };
  try {
    return { matches: index.matchTraces(block, await tracer.frames(block)) };
  } catch (error) {
    if (!(error instanceof NotTraced)) throw error;
    return { matches: new Map(), failure: error.message };
  }
}
