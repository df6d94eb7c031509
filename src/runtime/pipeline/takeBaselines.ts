import { evaluateMatches, type SubscriberState } from '../../matching/evaluateMatches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Block } from '../../model/block.ts';
import type { Observation } from '../../model/detection.ts';
import { addEvaluated, type PendingWrites } from './commitWrites.ts';
import type { PipelineContext } from './createPipelineContext.ts';

/**
 * Shows the block before these ones to what was created or enabled since, whatever its schedule: its first comparison is
 * with the state of that block.
 */
export async function takeBaselines(
  context: PipelineContext,
  [first]: readonly Block[],
  writes: PendingWrites,
): Promise<void> {
  const { watchList, states, deferrals } = context;
  const added = watchList.added();
  if (added.length === 0 || !first || first.number === 0) return;
  await states.load(added);
  const fresh = added.filter(
    (subscriber) =>
      states.get(subscriber)?.key !== subscriber.stateKey() && deferrals.reasonFor(subscriber) === undefined,
  );
  if (fresh.length === 0) return;
  const block = await context.readBlock(first.number - 1);
  // Reorganised in this moment: the block itself is the baseline then.
  if (block?.hash !== first.parentHash) return;
  const observation: Observation = { type: 'block', block, previous: undefined };
  const evaluated = await evaluateMatches(
    new Map(fresh.map((subscriber) => [subscriber, [observation]])),
    states.get,
    context.fetch,
    'degrade',
  );
  const taken = new Map(
    fresh.map((subscriber) => [
      subscriber,
      markTaken(subscriber, evaluated.states.get(subscriber) ?? states.get(subscriber)),
    ]),
  );
  // Without a block number: a baseline outlives a reorganisation, which is a change like any other.
  addEvaluated(writes, evaluated, states.apply(-1, taken));
}

/** One that keeps nothing has its key stored all the same, so that a restart takes no other baseline. */
function markTaken(subscriber: Subscriber, state: SubscriberState = {}): SubscriberState {
  const key = subscriber.stateKey();
  if (state.key === key) return state;
  const { own: _own, ...rest } = state;
  return { ...rest, key };
}
