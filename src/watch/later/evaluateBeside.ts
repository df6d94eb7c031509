import { type Evaluated, evaluateMatches, type OnReadFailure } from '../../matching/evaluateMatches.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';

/** Called after the states were loaded, so that the observations are not older than the states. */
type Observe = () => { matches: Matches; onReadFailure: OnReadFailure };

type Attempt = {
  evaluated: Evaluated;
  /**
   * Runs the work in its turn between blocks. False if a block or the clock changed a state meanwhile, so that the
   * evaluation has to be repeated.
   */
  commit: (work: () => Promise<void>) => Promise<boolean>;
};

/** Evaluates while the chain goes on: only loading the states and committing the result take their turn with the blocks. */
export async function evaluateBeside(
  context: PipelineContext,
  subscribers: readonly Subscriber[],
  observe: Observe,
): Promise<Attempt> {
  const { states } = context;
  const before = await context.runExclusive(async () => {
    await context.refreshDeferrals();
    await states.load(subscribers);
    return new Map(subscribers.map((subscriber) => [subscriber, states.get(subscriber)]));
  });
  const { matches, onReadFailure } = observe();
  const evaluated = await evaluateMatches(
    matches,
    (subscriber) => before.get(subscriber),
    (requests) => context.fetch(requests, 'background'),
    onReadFailure,
  );
  return {
    evaluated,
    commit: async (work) => {
      let isCurrent = true;
      await context.runUnlessStopped(async () => {
        isCurrent = [...before].every(([subscriber, state]) => states.get(subscriber) === state);
        if (isCurrent) await work();
      });
      return isCurrent;
    },
  };
}

/** Repeats the evaluation until no block or clock changed a state meanwhile, or the pipeline is stopped. */
export async function evaluateUntilCommitted(
  context: PipelineContext,
  subscribers: readonly Subscriber[],
  observe: Observe,
  commit: (evaluated: Evaluated) => Promise<void>,
): Promise<void> {
  while (!context.isStopped) {
    const attempt = await evaluateBeside(context, subscribers, observe);
    if (await attempt.commit(() => commit(attempt.evaluated))) return;
  }
}
