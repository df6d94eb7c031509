import type { Block, BlockFrames, Transaction } from '../model/block.ts';
import { NotTraced, traceSetting } from '../model/traceState.ts';
import type { createSubscriptionIndex } from './createSubscriptionIndex.ts';
import type { Matches } from './matches.ts';

type Client = {
  readonly tracer?: {
    frames(block: Block, options: { isFirst: (transaction: Transaction) => boolean }): Promise<BlockFrames>;
  };
  readonly isTracingOff?: boolean;
};

/**
 * Matches that need inner calls. `failure` says why the traces are missing. Returns early when no subscriber needs
 * traces.
 */
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
    const isFirst = (transaction: Transaction) => index.tracing(transaction).size > 0;
    const frames = await tracer.frames(block, { isFirst });
    const matches = await index.matchTracesInTurns(block, frames);
    const missing = block.transactions.filter(({ index: position }) => !frames[position]);
    return missing.length === 0 ? { matches } : { matches, failure: untracedFailure(missing) };
  } catch (error) {
    if (!(error instanceof NotTraced)) throw error;
    return { matches: none, failure: error.message };
  }
}

/** The first few are named. */
function untracedFailure(missing: readonly Transaction[]): string {
  const named = missing.slice(0, 3).map(({ hash }) => hash);
  const more = missing.length - named.length;
  return `The trace of ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} is too large.`;
}

export function tracingOff(chainUid: string): string {
  return `Traces of ${chainUid} are switched off: the operator sets ${traceSetting(chainUid)}=auto.`;
}
