import type { Subscriber } from '../../matching/subscriber.ts';
import type { Observation } from '../../model/detection.ts';
import { saveTick } from '../../store/watch/cursor.ts';
import { addEvaluated, commitInPlace, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { evaluateUntilCommitted } from './evaluateBeside.ts';

/** Runs what is due by the clock instead of by blocks; a slow subscriber delays no other. */
export function createScheduledWork(context: PipelineContext) {
  const { chain, store, watchList, states, holder } = context;
  const running = new Set<string>();

  async function tick(previousAt: number, time: number): Promise<void> {
    await reportInvalid(time);
    const due = watchList.index.due(previousAt, time);
    await Promise.all(due.map((subscriber) => runOnce(subscriber, time)));
    if (due.length > 0 && !context.isStopped) await saveTick(store, chain.uid, holder, time);
  }

  async function runOnce(subscriber: Subscriber, time: number): Promise<void> {
    const key = `${subscriber.kind} ${subscriber.id}`;
    if (running.has(key)) return;
    running.add(key);
    try {
      await evaluate(subscriber, time);
    } finally {
      running.delete(key);
    }
  }

  function evaluate(subscriber: Subscriber, time: number): Promise<void> {
    const observe = (): Observation => ({
      type: 'clock',
      at: time,
      newest: newestBlock(time),
      processed: context.tip,
    });
    return evaluateUntilCommitted(
      context,
      [subscriber],
      () => ({ matches: new Map([[subscriber, [observe()]]]), onReadFailure: 'fault' }),
      async (evaluated) => {
        const writes = createWrites();
        addEvaluated(writes, evaluated, states.apply(-1, evaluated.states));
        await commitInPlace(context, writes);
      },
    );
  }

  /** While blocks remain to be caught up with, the chain is known to produce blocks, unless no node answers any more. */
  function newestBlock(time: number): { number: number; timestamp: number } | undefined {
    const head = context.head();
    const { tip } = context;
    return tip && head > tip.number && context.isReachable() ? { number: head, timestamp: time } : tip;
  }

  /** Records a fault for every subscriber that cannot be compiled. */
  async function reportInvalid(time: number): Promise<void> {
    const invalid = watchList.takeInvalid();
    if (invalid.length === 0) return;
    const outcomes = invalid.map(({ subscriber, message }) => ({
      subscriber,
      fault: { subscriber, message, at: time, isInvalid: true },
    }));
    await context.runExclusive(() => commitInPlace(context, createWrites({ outcomes })));
  }

  return { tick };
}
