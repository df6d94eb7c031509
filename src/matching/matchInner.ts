import type { Block, BlockFrames } from '../model/block.ts';
import { NotTraced, traceSetting } from '../model/traceState.ts';
import type { createSubscriptionIndex } from './createSubscriptionIndex.ts';
import type { Matches } from './matches.ts';

type Client = {
  readonly tracer?: { frames(block: Block): Promise<BlockFrames> };
  readonly isTracingOff?: boolean;
};

/** What only traces show of a block, or why it is not known; nothing where no one wants it. */
export async function matchInner(
  { tracer, isTracingOff }: Client,
  index: ReturnType<typeof createSubscriptionIndex>,
  block: Block,
): Promise<{ matches: Matches; failure?: string }> {
  const none: Matches = new Map();
  if (!index.wantsTraces()) return { matches: none };
  if (isTracingOff) return { matches: none, failure: tracingOff(block.chainUid) };
  if (!tracer) return { matches: none };
  try {
    return { matches: await index.matchTracesInTurns(block, await tracer.frames(block)) };
  } catch (error) {
    if (!(error instanceof NotTraced)) throw error;
    return { matches: none, failure: error.message };
  }
}

export function tracingOff(chainUid: string): string {
  return `Traces of ${chainUid} are switched off: the operator sets ${traceSetting(chainUid)}=auto.`;
}
