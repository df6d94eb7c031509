import { evaluateMatches } from '../../matching/evaluateMatches.ts';
import type { BlockRef, Header } from '../../model/block.ts';
import type { Observation } from '../../model/detection.ts';
import { deleteHoldingsAbove } from '../../store/contracts/holdingSamples.ts';
import { rewindCursor } from '../../store/watch/cursor.ts';
import { deleteDeferredAbove } from '../../store/watch/deferred.ts';
import { unmineAbove } from '../../store/watch/pendingAlerts.ts';
import { undoStates } from '../../store/watch/states.ts';
import { deleteUntracedAbove } from '../../store/watch/untraced.ts';
import { addEvaluated, commitWrites, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import type { ChainMessage } from '../follow/followChain.ts';

/** Undoes the blocks that a reorganisation dropped, after showing it to the subscribers that are interested in reorganisations. */
export async function rewindChain(
  context: PipelineContext,
  { to, dropped, added }: Extract<ChainMessage, { type: 'retract' }>,
): Promise<void> {
  const { chain, watchList, states, funding, now } = context;
  const observation: Observation = {
    type: 'reorg',
    dropped: dropped.map(toRef),
    added: added.map(toRef),
    at: now(),
  };
  const matches = new Map(watchList.index.reorgs().map((subscriber) => [subscriber, [observation]]));
  await states.load(matches.keys());
  const evaluated = await evaluateMatches(matches, states.get, context.fetch);
  const writes = createWrites();
  // Without a block number: the reorganisation stays a fact whichever branch wins.
  addEvaluated(writes, evaluated, states.apply(-1, evaluated.states));
  const height = heightAfter(to, dropped);
  await commitWrites(context, writes, async (tx) => {
    await rewindCursor(tx, context.cursorStep(), to, height);
    await undoStates(tx, chain.uid, height);
    await deleteHoldingsAbove(tx, chain.uid, height);
    await deleteDeferredAbove(tx, chain.uid, height);
    await deleteUntracedAbove(tx, chain.uid, height);
    await unmineAbove(tx, chain.uid, height, now());
    await funding.rewind(tx, to?.number ?? -1);
    return [{ type: 'retractBlocks', blocks: dropped.map(toRef) }];
  });
  context.tip = to;
  states.clear();
  funding.invalidate();
  await context.deferrals.reload();
}

function toRef({ number, hash }: Header): BlockRef {
  return { number, hash };
}

/** `dropped` is newest first; without a common block, everything that is kept is dropped. */
function heightAfter(to: Header | undefined, dropped: readonly Header[]): number {
  const oldest = dropped.at(-1);
  if (to) return to.number;
  if (!oldest) throw new Error('A reorganisation drops at least one block.');
  return oldest.number - 1;
}
