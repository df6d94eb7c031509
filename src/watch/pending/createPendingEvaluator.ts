import { pendingSource } from '../../alerts/adoptPending.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import { evaluateMatches, type SubscriberState } from '../../matching/evaluateMatches.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { PendingTransaction, Simulation } from '../../model/pending.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { createStateCache } from '../subscribers/createStateCache.ts';

/** `needsTrace`: only the traces of its block can show it again. */
export type PendingFinding = { finding: Finding; needsTrace: boolean };

/** Evaluates simulated transactions as those of a block, but without keeping a state. */
export function createPendingEvaluator({ store, watchList, mempool, fetch }: PipelineContext) {
  const { pendingIndex } = watchList;
  let states = createStateCache(store);
  const cooldowns = new Map<Subscriber, { before: SubscriberState | undefined; after: SubscriberState }>();

  async function evaluate(
    transaction: PendingTransaction,
    simulation: Simulation,
  ): Promise<PendingFinding[]> {
    const matches = matchesOf(simulation);
    if (matches.size === 0) return [];
    const cache = states;
    await cache.load(matches.keys());
    const stateOf = (subscriber: Subscriber) => {
      const before = cache.get(subscriber);
      const cooldown = cooldowns.get(subscriber);
      return cooldown && cooldown.before === before ? cooldown.after : before;
    };
    const evaluated = await evaluateMatches(matches, stateOf, fetchAfter(transaction, simulation), 'degrade');
    // States are written when a block has the transaction; here only the reported alerts count.
    for (const [subscriber, { alertAt, held, alertSeverity, alertMagnitude }] of evaluated.states) {
      if (subscriber.cooldownMs === 0 || alertAt === undefined) continue;
      const before = cache.get(subscriber);
      const reported = { alertAt, held, alertSeverity, alertMagnitude };
      cooldowns.set(subscriber, { before, after: { ...before, ...reported } as SubscriberState });
    }
    const traced = new Set(
      Array.from(matches).flatMap(([{ kind, id }, seen]) =>
        seen.every((observation) => 'frames' in observation || observation.type === 'deployment')
          ? [`${kind} ${id}`]
          : [],
      ),
    );
    return evaluated.findings
      .filter(({ txHash }) => txHash === transaction.hash)
      .map((finding) => ({
        finding: { ...finding, blockNumber: null, blockHash: null, isPending: true },
        needsTrace:
          traced.has(pendingSource(finding)) || /^(call|transfer|creation) /.test(finding.place ?? ''),
      }));
  }

  function matchesOf({ block, frames }: Simulation): Matches {
    const matches = pendingIndex.match(block, undefined);
    for (const [subscriber, observations] of pendingIndex.matchTraces(block, [frames]))
      matches.set(subscriber, [...(matches.get(subscriber) ?? []), ...observations]);
    for (const [subscriber, observations] of matches) {
      const visible = observations.filter(({ type }) => type !== 'block');
      // It compares with what was before, and waits for its first block.
      const isEarly = subscriber.takesBaseline === true && watchList.isAdded(subscriber);
      if (isEarly || visible.length === 0) matches.delete(subscriber);
      else matches.set(subscriber, visible);
    }
    return matches;
  }

  /**
   * Reads through the state after the simulated transaction where they concern it, and through the newest block
   * otherwise.
   */
  function fetchAfter(transaction: PendingTransaction, simulation: Simulation): Fetch {
    const { block } = simulation;
    const parent = { number: block.number - 1, hash: block.parentHash };
    return async (requests, pace) => {
      const routed = requests.map((request) => {
        if (request.type !== 'chain' || request.at.hash !== block.hash) return { request };
        const { question } = request;
        return isLasting(question.type) ? { request: { ...request, at: parent } } : { question };
      });
      const questions = routed.flatMap(({ question }) => (question ? [question] : []));
      const others = routed.flatMap(({ request }) => (request ? [request] : []));
      const [after, rest] = await Promise.all([
        questions.length > 0 && mempool ? mempool.readAfter(transaction, simulation, questions) : [],
        others.length > 0 ? fetch(others, pace) : [],
      ]);
      const answers = { after: after.values(), rest: rest.values() };
      return routed.map(({ question }) => answers[question ? 'after' : 'rest'].next().value);
    };
  }

  return {
    evaluate,
    /** After every block: it may have changed them. */
    forgetStates(): void {
      states = createStateCache(store);
    },
  };
}

/** Does not change with a transaction, as a rule. */
function isLasting(type: string): boolean {
  return type === 'decimals' || type === 'symbol' || type === 'code';
}
