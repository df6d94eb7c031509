import { createCoalescedLoop } from '../../lib/createCoalescedLoop.ts';
import { messageOf } from '../../lib/messageOf.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Block } from '../../model/block.ts';
import { NotTraced } from '../../model/traceState.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import {
  countUntraced,
  deleteUntraced,
  giveUpUntraced,
  listUntraced,
  postponeUntraced,
  type UntracedBlock,
} from '../../store/watch/untraced.ts';
import type { PendingWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { commitTraces, waitingKey } from './commitTraces.ts';
import { createTraceReader, maxInFlight, type Traced } from './createTraceReader.ts';
import { createTraceUpkeep, type TraceProgress } from './createTraceUpkeep.ts';
import { evaluateDespiteBlocks } from './evaluateBeside.ts';
import { traceFaults } from './traceFaults.ts';

/** A block is given up after so many attempts in vain that took so long. */
const maxAttempts = 12;
const maxWaitMs = 3_600_000;
const maxTraceDelayMs = 600_000;
/** Traces that are missing for so long, and for so many block times, are late. */
const lateMs = 15_000;
const lateFactor = 3;

/**
 * Evaluates inner calls beside the chain, so no block waits for its traces. Each block has a row until the findings of
 * its inner calls are written, so it is evaluated once.
 */
export function createTraceWork(context: PipelineContext) {
  const { chain, store, watchList, funding, holder, now } = context;
  const { tracer, traceMode: mode } = context;
  const reader = createTraceReader(context);
  const { backlog } = reader;
  const progress: TraceProgress = { hasTraced: false, processed: null, lastFault: null, mayWait: true };
  /** Steps of the chain that added blocks, and whether the step that is being written adds some. */
  let additions = 0;
  let isAdding = false;
  const lateAfterMs = Math.max(lateMs, lateFactor * chain.blockTimeMs);
  let pausedUntil = 0;
  const loop = createCoalescedLoop(evaluateDue, (error) => {
    pausedUntil = now() + 5000;
    if (!context.isStopped) context.onError(error);
  });

  /** Traces are requested when a subscriber needs them and a node offers them, or when the operator requires them. */
  function isWanted(): boolean {
    return watchList.index.wantsTraces() && isPossible();
  }

  function isPossible(): boolean {
    if (!tracer || mode === 'off') return false;
    return mode === 'required' || tracer.kinds()?.length !== 0;
  }

  /** Adds the blocks that wait for their traces to the writes, and requests those traces; returns which blocks subscribers need. */
  function take(blocks: readonly Block[], writes: PendingWrites): (block: Block) => boolean {
    const untraced = new Set(isWanted() ? blocks.filter(({ transactions }) => transactions.length > 0) : []);
    untraced.forEach(reader.prefetch);
    // Transactions that may hide the recipients of a labelled source are traced even if no subscriber needs the block.
    const suspicious = isPossible()
      ? blocks.filter((block) => !untraced.has(block) && funding.suspects(block).length > 0)
      : [];
    writes.untraced = [
      ...untraced,
      ...suspicious.map(({ number, hash }) => ({ number, hash, onlyFunding: true })),
    ];
    isAdding = writes.untraced.length > 0;
    return (block) => untraced.has(block);
  }

  /** Continues with every block that is due, in their order. */
  function start(): void {
    if (tracer && !context.isStopped && progress.mayWait) loop.wake();
  }

  /** The blocks that `take` has added are stored. */
  function committed(): void {
    if (!isAdding) return;
    additions++;
    progress.mayWait = true;
  }

  async function evaluateDue(): Promise<void> {
    if (context.isStopped || now() < pausedUntil) return;
    const seenAdditions = additions;
    const rows = await listUntraced(store, chain.uid, now(), maxInFlight);
    if (rows.length === 0) {
      const { count } = await countUntraced(store, chain.uid);
      // Blocks that were stored meanwhile may not be counted.
      if (count === 0 && additions === seenAdditions) progress.mayWait = false;
      return;
    }
    const taken = await Promise.all(rows.map(async (row) => ({ row, traced: await read(row) })));
    for (const { row, traced } of taken) {
      if (context.isStopped) return;
      if (traced instanceof Error) await postponeOrGiveUp(row, traced);
      else await evaluate(row, traced);
    }
    // The nodes are in trouble, so the remaining blocks need not try at once.
    if (taken.every(({ traced }) => traced instanceof Error)) pausedUntil = now() + 1000;
    else loop.wake();
  }

  function read(row: UntracedBlock): Promise<Traced | Error> {
    return reader.read(row).catch((error) => (error instanceof Error ? error : new Error(messageOf(error))));
  }

  async function postponeOrGiveUp(row: UntracedBlock, error: Error): Promise<void> {
    const reason = error instanceof NotTraced ? error.reason : 'unanswered';
    progress.lastFault = traceFaults[reason];
    const isHopeless =
      (reason === 'unsupported' && mode !== 'required') ||
      (row.attempts + 1 >= maxAttempts && now() - row.createdAt >= maxWaitMs);
    await context.runUnlessStopped(() =>
      store.transaction(async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        if (!isHopeless)
          await postponeUntraced(
            tx,
            chain.uid,
            row,
            row.remaining,
            backlog.nextAttemptAt(row, maxTraceDelayMs),
          );
        else if (reason === 'unsupported' && !progress.hasTraced) await deleteUntraced(tx, chain.uid, [row]);
        else await giveUpUntraced(tx, chain.uid, [row], traceFaults[reason], now());
      }),
    );
  }

  async function evaluate(row: UntracedBlock, traced: Traced): Promise<void> {
    progress.hasTraced = true;
    progress.lastFault = null;
    const matches = await matchesOf(row, traced);
    await evaluateDespiteBlocks(context, matches, backlog.onReadFailure(row), (evaluated) =>
      commitTraces(context, { row, traced, evaluated, retryAt: backlog.nextAttemptAt(row), lateAfterMs }),
    );
    progress.processed = Math.max(progress.processed ?? 0, row.number);
  }

  /** Without the subscribers that were created after the block. */
  async function matchesOf({ remaining }: UntracedBlock, { block, frames }: Traced): Promise<Matches> {
    const matches = await watchList.index.matchTracesInTurns(block, frames);
    for (const subscriber of matches.keys())
      if (
        watchList.isYounger(subscriber, block.number) ||
        (remaining && !remaining.includes(waitingKey(subscriber)))
      )
        matches.delete(subscriber);
    return matches;
  }

  const upkeep = createTraceUpkeep(context, progress, { isWanted, lateAfterMs });
  return { take, committed, start, upkeep };
}
