import { createSubscriptionIndex } from '../../matching/createSubscriptionIndex.ts';
import { evaluateMatches, type SubscriberState } from '../../matching/evaluateMatches.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Block, Header } from '../../model/block.ts';
import type { Observation } from '../../model/detection.ts';
import { addEvaluated, type PendingWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { maxLateBlocks } from '../subscribers/createWatchList.ts';

/** For so many blocks a baseline that nodes do not answer is waited for. */
const maxWaitBlocks = 16;

type EvaluateBlock = (block: Block, previous: Header, observations: Matches) => Promise<unknown>;

/**
 * Shows new subscribers their first block as the baseline, regardless of schedule, then the blocks missed since.
 * Returns those that can go on, with their last block; the rest are newer or unreadable.
 */
export async function takeBaselines(
  context: PipelineContext,
  first: Block | undefined,
  writes: PendingWrites,
  evaluateBlock: EvaluateBlock,
): Promise<ReadonlyMap<Subscriber, number>> {
  const { watchList, states, deferrals } = context;
  const added = watchList.added((first?.number ?? 0) - 1);
  if (added.size === 0 || !first || first.number === 0)
    return new Map(Array.from(added.keys(), (subscriber) => [subscriber, -1]));
  const tip = first.number - 1;
  const fromOf = (subscriber: Subscriber) => {
    const { from: firstBlock, mayWait } = added.get(subscriber) ?? { from: null, mayWait: false };
    const from = firstBlock ?? tip;
    const isNear = Math.abs(tip - from) <= maxLateBlocks;
    if (from <= tip) return isNear ? from : tip;
    // One that never gets so far is not waited for.
    return mayWait && (isNear || from <= context.head()) ? from : tip;
  };
  const shown = new Map(Array.from(added.keys(), (subscriber) => [subscriber, fromOf(subscriber)]));
  // The blocks until then were there before it.
  for (const [subscriber, from] of shown) if (from > first.number) putOff(subscriber);
  const mayBeFresh = [...shown.keys()].filter(
    (subscriber) => subscriber.takesBaseline || (added.get(subscriber)?.isNew && fromOf(subscriber) < tip),
  );
  await states.load(mayBeFresh);
  const fresh = mayBeFresh.filter(
    (subscriber) =>
      states.get(subscriber)?.key !== subscriber.stateKey() && deferrals.reasonFor(subscriber) === undefined,
  );
  if (fresh.length === 0) return shown;
  // Now, because some nodes know only the newest state.
  await takeAt(first, first.number + 1);
  const oldest = fresh.reduce((least, subscriber) => Math.min(least, fromOf(subscriber)), tip);
  const blocks = await readBlocks(context, oldest, first);
  // The nodes disagree in this moment.
  if (!blocks && oldest > tip - maxWaitBlocks) fresh.forEach(putOff);
  if (!blocks) return shown;
  const index = createSubscriptionIndex();
  let previous: Block | undefined;
  for (const [position, block] of blocks.entries()) {
    if (previous) await evaluateBlock(block, previous, index.match(block, previous));
    previous = block;
    const end = blocks[position + 1]?.number ?? first.number;
    for (const subscriber of await takeAt(block, end)) index.add(subscriber);
  }
  return shown;

  function putOff(subscriber: Subscriber): void {
    shown.delete(subscriber);
    watchList.keepAdded(subscriber, fromOf(subscriber));
  }

  /** Takes the baselines of those that watch from this block on, or from a skipped number before `end`; returns those that can go on. */
  async function takeAt(block: Block, end: number): Promise<Subscriber[]> {
    const starting = fresh.filter(
      (subscriber) => fromOf(subscriber) >= block.number && fromOf(subscriber) < end,
    );
    const takers = starting.filter(({ takesBaseline }) => takesBaseline);
    const observation: Observation = { type: 'block', block, previous: undefined };
    const evaluated = await evaluateMatches(
      new Map(takers.map((subscriber) => [subscriber, [observation]])),
      states.get,
      context.fetch,
      block.number > tip - maxWaitBlocks ? 'defer' : 'degrade',
    );
    for (const { subscriber, fault } of evaluated.deferred) {
      putOff(subscriber);
      if (fault) writes.outcomes.push({ subscriber, fault: { ...fault, isWaiting: true } });
    }
    const taken = new Map(
      takers
        .filter((subscriber) => shown.has(subscriber))
        .map((subscriber) => [
          subscriber,
          markTaken(subscriber, evaluated.states.get(subscriber) ?? states.get(subscriber)),
        ]),
    );
    // Without a block number: a baseline outlives a reorganisation, which is a change like any other.
    addEvaluated(writes, evaluated, states.apply(-1, taken));
    return starting.filter((subscriber) => shown.has(subscriber));
  }
}

/** The blocks before this one, from `oldest` on; undefined when they do not lead to it. */
async function readBlocks(
  { readBlock }: PipelineContext,
  oldest: number,
  { number, parentHash }: Block,
): Promise<Block[] | undefined> {
  const numbers = Array.from({ length: number - oldest }, (_, index) => oldest + index);
  const read = await Promise.all(numbers.map((number) => readBlock(number)));
  // A skipped number stands for the block before it, and what was read for it is the block after it.
  for (let below = oldest - 1; (read[0]?.number ?? oldest) > oldest && below > oldest - maxSkipped; below--) {
    const block = await readBlock(below);
    if (block?.number === below) read.unshift(block);
  }
  const blocks = read.filter(
    (block, index) => (block?.number ?? 0) < number && block?.hash !== read[index - 1]?.hash,
  );
  let expected = parentHash;
  for (const block of blocks.toReversed()) {
    if (block?.hash !== expected) return undefined;
    expected = block.parentHash;
  }
  return blocks.filter((block) => block !== null);
}

/** In a row; more than a leader has. */
const maxSkipped = 16;

/** One that keeps nothing has its key stored all the same, so that a restart takes no other baseline. */
function markTaken(subscriber: Subscriber, state: SubscriberState = {}): SubscriberState {
  const key = subscriber.stateKey();
  if (state.key === key) return state;
  const { own: _own, ...rest } = state;
  return { ...rest, key };
}
