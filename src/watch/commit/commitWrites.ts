import type { Evaluated } from '../../matching/evaluateMatches.ts';
import type { SubscriberRef } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { AlertWrite } from '../../model/alertWrite.ts';
import { type ContractHolding, saveHoldings } from '../../store/contracts/holdingSamples.ts';
import type { Db } from '../../store/db/db.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import { type DeferredRow, insertDeferred } from '../../store/watch/deferred.ts';
import type { FundedAddress } from '../../store/watch/funding.ts';
import { markForInspection } from '../../store/watch/inspection.ts';
import { type StateChange, saveStates } from '../../store/watch/states.ts';
import { insertUntraced, type NewUntraced } from '../../store/watch/untraced.ts';
import type { LoopingScript, Outcome } from '../subscribers/openFaultLedger.ts';
import { faultFinding } from '../subscribers/subscriberFindings.ts';
import type { PipelineContext } from './createPipelineContext.ts';
import { switchOffLooping } from './switchOffLooping.ts';

/** Everything that one transaction writes besides the chain's cursor. */
export type PendingWrites = {
  findings: Finding[];
  /** Holdings of contracts, for the charts of people. */
  holdings: ContractHolding[];
  states: StateChange[];
  outcomes: Outcome[];
  deferred: DeferredRow[];
  /** Blocks whose traces are waited for. */
  untraced: readonly NewUntraced[];
  /** Only with blocks: the addresses that they funded or upgraded, and the time of the last one. */
  blocks?: { funded: readonly FundedAddress[]; upgraded: readonly string[]; lastAt: number };
};

/** Scripts that ran into their time limit, and the subscribers that were switched off for it. */
type Committed = { looping: LoopingScript[]; switchedOff: SubscriberRef[] };

/**
 * The one transaction of the pipeline: moves the cursor (or checks its holder) and writes everything that belongs to the move.
 * `moveCursor` may return what the move takes back.
 */
export async function commitWrites(
  context: PipelineContext,
  writes: PendingWrites,
  moveCursor: (tx: Db) => Promise<readonly AlertWrite[] | undefined>,
): Promise<Committed> {
  const { alerts, chain } = context;
  const faults = writes.outcomes.flatMap(({ fault }) => (fault ? [faultFinding(fault)] : []));
  await alerts.prepare([...writes.findings, ...faults]);
  const committed = await alerts.commit(chain.uid, async (tx) => {
    const retractions = (await moveCursor(tx)) ?? [];
    const { raised, ...result } = await write(tx, context, writes);
    return { result, writes: [...retractions, ...raised] };
  });
  context.ledger.committed(writes.outcomes);
  return committed;
}

/** For writes that do not move the cursor. */
export function commitInPlace(context: PipelineContext, writes: PendingWrites): Promise<Committed> {
  return commitWrites(context, writes, async (tx) => {
    await assertHolder(tx, context.chain.uid, context.holder);
    return [];
  });
}

async function write(
  tx: Db,
  context: PipelineContext,
  writes: PendingWrites,
): Promise<Committed & { raised: AlertWrite[] }> {
  const { chain, ledger, funding, now } = context;
  const { alerting, looping } = await ledger.write(tx, writes.outcomes);
  const findings = [...writes.findings, ...alerting.map(faultFinding)];
  const { notices, switchedOff } = await switchOffLooping(tx, context, looping);
  await saveStates(tx, chain.uid, writes.states);
  await saveHoldings(tx, chain.uid, writes.holdings);
  if (writes.blocks) {
    await funding.write(tx, writes.blocks.funded, writes.blocks.lastAt);
    await markForInspection(tx, chain.uid, writes.blocks.upgraded);
  }
  await insertDeferred(tx, chain.uid, writes.deferred, now());
  await insertUntraced(tx, chain.uid, writes.untraced, now());
  const raised: AlertWrite[] = [];
  if (findings.length > 0) raised.push({ type: 'raise', of: 'blocks', findings });
  if (notices.length > 0) raised.push({ type: 'raise', of: 'notices', findings: notices });
  return { looping, switchedOff, raised };
}

export function createWrites(writes: Partial<PendingWrites> = {}): PendingWrites {
  return { findings: [], holdings: [], states: [], outcomes: [], deferred: [], untraced: [], ...writes };
}

export function addEvaluated(
  writes: PendingWrites,
  { findings, sampled, faults, succeeded }: Evaluated,
  states: readonly StateChange[],
): void {
  writes.findings.push(...findings);
  writes.states.push(...states);
  for (const { subscriber, holdings, ...moment } of sampled) {
    const { tenantId, id: contractId } = subscriber.contract;
    for (const holding of holdings) writes.holdings.push({ ...holding, ...moment, tenantId, contractId });
  }
  for (const subscriber of succeeded) writes.outcomes.push({ subscriber });
  for (const fault of faults) writes.outcomes.push({ subscriber: fault.subscriber, fault });
}
