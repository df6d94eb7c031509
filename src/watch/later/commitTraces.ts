import { showDuration } from '../../lib/duration.ts';
import type { Evaluated } from '../../matching/evaluateMatches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import { toBlindSpots } from '../../matching/toBlindSpots.ts';
import type { Finding } from '../../model/alert.ts';
import type { Block, Transaction } from '../../model/block.ts';
import { lateEvidence } from '../../model/traceState.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import {
  deleteUntraced,
  postponeUntraced,
  recordUnseen,
  type UntracedBlock,
} from '../../store/watch/untraced.ts';
import { addEvaluated, commitWrites, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import type { Traced } from './createTraceReader.ts';
import { reportWaiting } from './reportWaiting.ts';
import { traceFaults } from './traceFaults.ts';

type TraceResult = {
  row: UntracedBlock;
  traced: Traced;
  evaluated: Evaluated;
  /** For the subscribers whose evaluation was deferred. */
  retryAt: number;
  lateAfterMs: number;
};

/** Writes the findings of a block's inner calls and deletes its row, or leaves it for the subscribers that were deferred. */
export async function commitTraces(
  context: PipelineContext,
  { row, traced: { block, wanted, frames }, evaluated, retryAt, lateAfterMs }: TraceResult,
): Promise<void> {
  const { chain, store, funding, states, holder, now } = context;
  const missing = wanted.filter(({ index }) => !frames[index]);
  const writes = createWrites();
  // Under the newest block, because its states come after those of the blocks before.
  const number = Math.max(row.number, context.tip?.number ?? 0);
  addEvaluated(
    writes,
    { ...evaluated, findings: markLate(evaluated.findings, now() - row.createdAt, lateAfterMs) },
    states.apply(number, evaluated.states),
  );
  writes.findings.push(...findBlindSpots(context, row, block, missing));
  await funding.refresh(store);
  const funded = funding.traceInner(block, frames);
  const remaining = evaluated.deferred.map(({ subscriber }) => waitingKey(subscriber));
  await commitWrites(context, writes, async (tx) => {
    await assertHolder(tx, chain.uid, holder);
    const isThere =
      remaining.length > 0
        ? await postponeUntraced(tx, chain.uid, row, remaining, retryAt)
        : await deleteUntraced(tx, chain.uid, [row]);
    await funding.add(tx, funded);
    if (missing.length > 0) {
      const hashes = missing.map(({ hash }) => hash);
      await recordUnseen(tx, chain.uid, row, hashes, traceFaults.transaction, now());
    }
    // A reorganisation took it away meanwhile.
    if (!isThere) throw new Error(`Block ${row.number} does not wait for its traces any more.`);
  });
  context.meter.countAlerts(writes.findings);
  for (const { fault } of evaluated.deferred) await reportWaiting(context, row, fault);
}

/** The key of a subscriber in the rows of blocks that wait for traces. */
export function waitingKey({ kind, id }: Pick<Subscriber, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** For subscribers that are shown the block now; those of a deferred evaluation were notified before. */
function findBlindSpots(
  { watchList }: PipelineContext,
  { remaining }: UntracedBlock,
  block: Block,
  missing: readonly Transaction[],
): Finding[] {
  if (remaining) return [];
  return missing.flatMap((transaction) => {
    const blind = [...watchList.index.tracing(transaction)];
    return toBlindSpots(
      block,
      transaction,
      blind.filter((subscriber) => !watchList.isYounger(subscriber, block.number)),
    );
  });
}

/** A person woken by the alert must know that it did not happen just now. */
function markLate(findings: Finding[], lateByMs: number, limitMs: number): Finding[] {
  if (lateByMs <= limitMs) return findings;
  return findings.map((finding) => ({
    ...finding,
    message: `${finding.message} (Late: seen ${showDuration(lateByMs - (lateByMs % 1000))} after its block, when traces came.)`,
    meta: { ...finding.meta, [lateEvidence]: lateByMs },
  }));
}
