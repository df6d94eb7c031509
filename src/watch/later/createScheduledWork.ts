import { evaluateMatches } from '../../matching/evaluateMatches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Observation } from '../../model/detection.ts';
import { saveTick } from '../../store/watch/cursor.ts';
import { addEvaluated, commitInPlace, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';

/** Runs what is due by the clock instead of by blocks; a slow subscriber delays no other. */
export function createScheduledWork(context: PipelineContext) {
  const { chain, store, watchList, states, holder } = context;
  const running = new Set<string>();

  async function tick(previousAt: number, at: number): Promise<void> {
    await reportInvalid(at);
    const due = watchList.index.due(previousAt, at);
    await Promise.all(due.map((subscriber) => runOnce(subscriber, at)));
    if (due.length > 0 && !context.isStopped) await saveTick(store, chain.uid, holder, at);
  }

  async function runOnce(subscriber: Subscriber, at: number): Promise<void> {
    const key = `${subscriber.kind} ${subscriber.id}`;
    if (running.has(key)) return;
    running.add(key);
    try {
      while (!(await evaluate(subscriber, at)));
    } finally {
      running.delete(key);
    }
  }

  /** False when a block changed the subscriber's state meanwhile. */
  async function evaluate(subscriber: Subscriber, at: number): Promise<boolean> {
    const before = await context.runExclusive(async () => {
      await states.load([subscriber]);
      return states.get(subscriber);
    });
    const observation: Observation = { type: 'clock', at, newest: newestBlock(at), processed: context.tip };
    const evaluated = await evaluateMatches(
      new Map([[subscriber, [observation]]]),
      () => before,
      (requests) => context.fetch(requests, 'background'),
    );
    return context.runExclusive(async () => {
      if (context.isStopped) return true;
      if (states.get(subscriber) !== before) return false;
      const writes = createWrites();
      addEvaluated(writes, evaluated, states.apply(-1, evaluated.states));
      await commitInPlace(context, writes);
      return true;
    });
  }

  /** While blocks remain to be caught up with, the chain is known to produce blocks, unless no node answers any more. */
  function newestBlock(at: number): { number: number; timestamp: number } | undefined {
    const head = context.head();
    const { tip } = context;
    return tip && head > tip.number && context.isReachable() ? { number: head, timestamp: at } : tip;
  }

  /** Records a fault for every subscriber that cannot be compiled. */
  async function reportInvalid(at: number): Promise<void> {
    const invalid = watchList.takeInvalid();
    if (invalid.length === 0) return;
    const outcomes = invalid.map(({ subscriber, message }) => ({
      subscriber,
      fault: { subscriber, message, at, isInvalid: true },
    }));
    await context.runExclusive(() => commitInPlace(context, createWrites({ outcomes })));
  }

  return { tick };
}
