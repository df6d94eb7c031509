import { type Evaluated, evaluateMatches, type OnReadFailure } from '../../matching/evaluateMatches.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';

/** Called after the states were loaded, so that the observations are not older than the states. */
type Observe = () => { matches: Matches; onReadFailure: OnReadFailure };

type Attempt = {
  evaluated: Evaluated;
  /**
   * Runs the work in its turn between blocks, unless a block or the clock changed a state meanwhile; returns whose, so that
   * their evaluation is repeated.
   */
  commit: (work: () => Promise<void>) => Promise<readonly Subscriber[]>;
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
      let overtaken: readonly Subscriber[] = [];
      await context.runUnlessStopped(async () => {
        overtaken = subscribers.filter((subscriber) => states.get(subscriber) !== before.get(subscriber));
        if (overtaken.length === 0) await work();
      });
      return overtaken;
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
    const overtaken = await attempt.commit(() => commit(attempt.evaluated));
    if (overtaken.length === 0) return;
  }
}

/** Attempts that blocks may overtake. */
const maxOvertaken = 3;

/**
 * The same for matches of which others may make any number. Who pays a contract in every block changes states in every
 * block, so subscribers that were overtaken too often are evaluated in turn with the blocks.
 */
export async function evaluateDespiteBlocks(
  context: PipelineContext,
  matches: Matches,
  onReadFailure: OnReadFailure,
  commit: (evaluated: Evaluated) => Promise<void>,
): Promise<void> {
  const overtaken = new Set<Subscriber>();
  for (let attempt = 1; !context.isStopped; attempt++) {
    const inTurn = new Map([...matches].filter(([one]) => attempt > maxOvertaken && overtaken.has(one)));
    const beside = new Map([...matches].filter(([one]) => !inTurn.has(one)));
    const observe = () => ({ matches: beside, onReadFailure });
    const { evaluated, commit: take } = await evaluateBeside(context, [...beside.keys()], observe);
    const late = await take(async () => {
      await context.states.load(inTurn.keys());
      const now = await evaluateMatches(inTurn, context.states.get, context.fetch, onReadFailure);
      await commit(join(evaluated, now));
    });
    if (late.length === 0) return;
    for (const subscriber of late) overtaken.add(subscriber);
  }
}

function join(a: Evaluated, b: Evaluated): Evaluated {
  return {
    findings: [...a.findings, ...b.findings],
    states: new Map([...a.states, ...b.states]),
    faults: [...a.faults, ...b.faults],
    succeeded: [...a.succeeded, ...b.succeeded],
    deferred: [...a.deferred, ...b.deferred],
    sampled: [...a.sampled, ...b.sampled],
    evaluations: a.evaluations + b.evaluations,
  };
}
