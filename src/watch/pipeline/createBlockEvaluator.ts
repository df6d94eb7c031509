import { type DeferralReason, type Evaluated, evaluateMatches } from '../../matching/evaluateMatches.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Block, Header } from '../../model/block.ts';
import type { DeferredRow } from '../../store/watch/deferred.ts';
import { addEvaluated, type PendingWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import type { ScriptBudget } from '../reads/createScriptBudget.ts';

export type EvaluateBlock = (
  block: Block,
  previous: Header | undefined,
  observations: Matches,
) => Promise<Evaluated>;

type Hooks = {
  allowance: ScriptBudget['openBlock'];
  /** The block will be evaluated again for some subscribers. */
  onDeferred: (block: Block) => void;
};

/**
 * Evaluates blocks in their order and adds the results to the writes. A subscriber that has to wait gets a row for each
 * block, because its state depends on their order.
 */
export function createBlockEvaluator(
  context: PipelineContext,
  writes: PendingWrites,
  { allowance, onDeferred }: Hooks,
): EvaluateBlock {
  const { states, deferrals } = context;
  const waiting = new Map<Subscriber, DeferralReason>();

  /** Removes the subscribers that must wait. */
  function takeDeferred(observations: Matches): Evaluated['deferred'] {
    const deferred: Evaluated['deferred'] = [];
    for (const subscriber of observations.keys()) {
      const reason = waiting.get(subscriber) ?? deferrals.reasonFor(subscriber);
      if (reason === undefined) continue;
      deferred.push({ subscriber, reason });
      observations.delete(subscriber);
    }
    return deferred;
  }

  async function evaluate(observations: Matches): Promise<Evaluated> {
    await states.load(observations.keys());
    const share = allowance();
    return evaluateMatches(
      observations,
      states.get,
      (requests) => context.fetch(requests, { allowance: share }),
      'defer',
    );
  }

  return async (block, previous, observations) => {
    const deferred = takeDeferred(observations);
    const evaluated = await evaluate(observations);
    addEvaluated(writes, evaluated, states.apply(block.number, evaluated.states));
    deferred.push(...evaluated.deferred);
    for (const { subscriber, reason } of deferred) {
      waiting.set(subscriber, reason === 'read' ? reason : 'order');
      writes.deferred.push(toDeferredRow(subscriber, block, previous, reason));
    }
    if (deferred.length > 0) onDeferred(block);
    return evaluated;
  };
}

function toDeferredRow(
  { kind, id, contract }: Subscriber,
  { number, hash }: Header,
  previous: Header | undefined,
  reason: string,
): DeferredRow {
  return {
    kind,
    id,
    number,
    hash,
    previous: previous ? { number: previous.number, timestamp: previous.timestamp } : null,
    tenantId: contract.tenantId,
    reason,
  };
}
