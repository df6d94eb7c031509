import { skipCursor } from '../../store/watch/cursor.ts';
import { deleteDeferredUpTo, findOldestDeferred } from '../../store/watch/deferred.ts';
import { commitWrites, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import type { ChainMessage } from '../follow/followChain.ts';
import { gapFinding } from '../subscribers/subscriberFindings.ts';

/** Goes on behind blocks that no node keeps any more, with an alert for each watched contract, in one transaction. */
export async function skipBlocks(
  context: PipelineContext,
  { first, last }: Extract<ChainMessage, { type: 'gap' }>,
): Promise<void> {
  const { store, chain, watchList, states, deferrals, now } = context;
  await watchList.refresh(store);
  // Postponed observations cannot be evaluated either.
  const from = Math.min(first, (await findOldestDeferred(store, chain.uid)) ?? first);
  const findings = [...watchList.contracts()].flatMap(({ subscribers: [subscriber] }) =>
    subscriber ? [gapFinding(subscriber, { first: from, last }, chain.name, now())] : [],
  );
  await commitWrites(context, createWrites({ findings }), async (tx) => {
    await skipCursor(tx, context.cursorStep(), last);
    await deleteDeferredUpTo(tx, chain.uid, last);
  });
  context.tip = undefined;
  states.clear();
  await deferrals.reload();
}
