import { adoptPending } from '../../alerts/adoptPending.ts';
import { limitRate } from '../../alerts/limitRate.ts';
import { prepareRaise, raiseAlerts } from '../../alerts/raiseAlerts.ts';
import type { Evaluated } from '../../matching/evaluateMatches.ts';
import type { SubscriberRef } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { BlockRef } from '../../model/block.ts';
import type { Db } from '../../store/db.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import { type DeferredRow, insertDeferred } from '../../store/watch/deferred.ts';
import type { FundedAddress } from '../../store/watch/funding.ts';
import { markForInspection } from '../../store/watch/inspection.ts';
import { type StateChange, saveStates } from '../../store/watch/states.ts';
import { insertUntraced } from '../../store/watch/untraced.ts';
import type { LoopingScript, Outcome } from '../../watch/openFaultLedger.ts';
import { faultFinding } from '../../watch/subscriberFindings.ts';
import type { PipelineContext } from './createPipelineContext.ts';
import { switchOffLooping } from './switchOffLooping.ts';

/** What one transaction writes besides the chain's cursor. */
export type PendingWrites = {
  findings: Finding[];
  states: StateChange[];
  outcomes: Outcome[];
  deferred: DeferredRow[];
  /** Blocks whose traces are waited for. */
  untraced: readonly BlockRef[];
  /** Only with blocks: the addresses that they funded or upgraded, and the time of the last one. */
  blocks?: { funded: readonly FundedAddress[]; upgraded: readonly string[]; lastAt: number };
};

/** Scripts that ran into their time limit, and the subscribers that were switched off for it. */
type Committed = { looping: LoopingScript[]; switchedOff: SubscriberRef[] };

/** The one transaction of the pipeline: moves the cursor (or checks its holder) and writes everything that belongs to the move. */
export async function commitWrites(
  context: PipelineContext,
  writes: PendingWrites,
  moveCursor: (tx: Db) => Promise<void>,
): Promise<Committed> {
  const faults = writes.outcomes.flatMap(({ fault }) => (fault ? [faultFinding(fault)] : []));
  await prepareRaise(context.store, [...writes.findings, ...faults]);
  const committed = await context.store.transaction(async (tx) => {
    await moveCursor(tx);
    return write(tx, context, writes);
  });
  context.ledger.committed(writes.outcomes);
  return committed;
}

/** For writes that do not move the cursor. */
export function commitInPlace(context: PipelineContext, writes: PendingWrites): Promise<Committed> {
  return commitWrites(context, writes, (tx) => assertHolder(tx, context.chain.uid, context.holder));
}

async function write(tx: Db, context: PipelineContext, writes: PendingWrites): Promise<Committed> {
  const { chain, ledger, funding, now } = context;
  const { alerting, looping } = await ledger.write(tx, writes.outcomes);
  const unraised = await adoptPending(tx, chain.uid, writes.findings, context.minedHooks, now());
  const findings = await limitRate(tx, [...unraised, ...alerting.map(faultFinding)], now());
  // Owners get these notices even beyond the rate limit.
  const { notices, switchedOff } = await switchOffLooping(tx, context, looping);
  await raiseAlerts(tx, [...findings, ...notices], context.alertHooks);
  await saveStates(tx, chain.uid, writes.states);
  if (writes.blocks) {
    await funding.write(tx, writes.blocks.funded, writes.blocks.lastAt);
    await markForInspection(tx, chain.uid, writes.blocks.upgraded);
  }
  await insertDeferred(tx, chain.uid, writes.deferred, now());
  await insertUntraced(tx, chain.uid, writes.untraced, now());
  return { looping, switchedOff };
}

export function createWrites(writes: Partial<PendingWrites> = {}): PendingWrites {
  return { findings: [], states: [], outcomes: [], deferred: [], untraced: [], ...writes };
}

export function addEvaluated(
  writes: PendingWrites,
  { findings, faults, succeeded }: Evaluated,
  states: readonly StateChange[],
): void {
  writes.findings.push(...findings);
  writes.states.push(...states);
  for (const subscriber of succeeded) writes.outcomes.push({ subscriber });
  for (const fault of faults) writes.outcomes.push({ subscriber: fault.subscriber, fault });
}
