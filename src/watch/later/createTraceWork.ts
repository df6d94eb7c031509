import { showDuration } from '../../lib/duration.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { type Evaluated, evaluateMatches, type SubscriberState } from '../../matching/evaluateMatches.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import { toBlindSpots } from '../../matching/toBlindSpots.ts';
import type { Finding } from '../../model/alert.ts';
import type { Block, BlockFrames, Transaction } from '../../model/block.ts';
import { lateEvidence, NotTraced, type TraceState } from '../../model/traceState.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import {
  countUntraced,
  deleteUntraced,
  fundingKey,
  giveUpUntraced,
  listExcess,
  listUntraced,
  postponeUntraced,
  recordUnseen,
  type UntracedBlock,
} from '../../store/watch/untraced.ts';
import { addEvaluated, commitInPlace, commitWrites, createWrites } from '../commit/commitWrites.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { createPublisher } from '../commit/createPublisher.ts';

/** Blocks that are traced concurrently, and those whose traces are kept until their turn. */
const maxInFlight = 4;
const maxKept = 8;
/** Blocks that may wait for their traces; the oldest of more are given up. */
const maxWaiting = 20_000;
/** A block is given up after so many attempts in vain that took so long. */
const maxAttempts = 12;
const maxWaitMs = 3_600_000;
/** After so many attempts a transaction that nodes fail at is left out, if they give the others. */
const hardAttempts = 6;
/** Traces that are missing for so long, and for so many block times, are late. */
const lateMs = 15_000;
const lateFactor = 3;
const defaultReadWaitMs = 120_000;

/**
 * Evaluates inner calls beside the chain, so no block waits for its traces. Each block has a row until the findings of
 * its inner calls are written, so it is evaluated once.
 */
export function createTraceWork(context: PipelineContext) {
  const { chain, store, watchList, states, meter, holder, now, runExclusive } = context;
  const { tracer, traceMode: mode } = context;
  const requested = new Map<string, { block: Block; frames: Promise<BlockFrames> }>();
  const lateAfterMs = Math.max(lateMs, lateFactor * chain.blockTimeMs);
  let inFlight = 0;
  let isRunning = false;
  let isAskedAgain = false;
  let isPublished = false;
  const publish = createPublisher(store, { chainUid: chain.uid, holder, of: 'traces' });
  let pausedUntil = 0;
  let hasTraced = false;
  let processed: number | null = null;
  let lastFault: string | null = null;
  let backlog: { count: number; oldestAt: number | null; failing: number } = {
    count: 0,
    oldestAt: null,
    failing: 0,
  };

  /** Traces are requested when a subscriber needs them and a node offers them, or when the operator requires them. */
  function isWanted(): boolean {
    return watchList.index.wantsTraces() && isPossible();
  }

  function isPossible(): boolean {
    if (!tracer || mode === 'off') return false;
    return mode === 'required' || tracer.kinds()?.length !== 0;
  }

  /** Asks for the traces of a block beside its evaluation. */
  function prefetch(block: Block): void {
    if (!tracer || inFlight >= maxInFlight || requested.has(block.hash)) return;
    inFlight++;
    const frames = tracer.frames(block, { isFirst }).finally(() => inFlight--);
    // The one who takes them gets the failure.
    frames.catch(() => undefined);
    requested.set(block.hash, { block, frames });
    const [oldest] = requested.keys();
    if (oldest !== undefined && requested.size > maxKept) requested.delete(oldest);
  }

  /** Transactions of watched contracts come first where transactions are traced one by one. */
  const isFirst = (transaction: Transaction) => watchList.index.tracing(transaction).size > 0;

  /** Goes on with every block that is due, in their order. */
  function start(): void {
    if (!tracer || context.isStopped) return;
    isAskedAgain = true;
    if (isRunning || now() < pausedUntil) return;
    isRunning = true;
    run()
      .catch((error: unknown) => {
        pausedUntil = now() + 5000;
        if (!context.isStopped) context.onError(error);
      })
      .finally(() => {
        isRunning = false;
      });
  }

  async function run(): Promise<void> {
    while (isAskedAgain && !context.isStopped) {
      isAskedAgain = false;
      const rows = await listUntraced(store, chain.uid, now(), maxInFlight);
      if (rows.length === 0) return;
      const taken = await Promise.all(rows.map(async (row) => ({ row, traced: await trace(row) })));
      const failures = taken.filter(({ traced }) => traced instanceof Error);
      for (const { row, traced } of taken) {
        if (context.isStopped) return;
        if (traced instanceof Error) await postponeOrGiveUp(row, traced);
        else await evaluateUntilSettled(row, traced);
      }
      if (failures.length === taken.length) {
        // The nodes are in trouble, so the rest of the blocks need not try at once.
        pausedUntil = now() + 1000;
        return;
      }
      isAskedAgain = true;
    }
  }

  async function trace(row: UntracedBlock): Promise<Traced | Error> {
    const { number, hash, attempts } = row;
    const pending = requested.get(hash);
    requested.delete(hash);
    try {
      const block = pending?.block ?? (await context.readBlock(number));
      if (block?.hash !== hash) return new Error(`Block ${number} is not ${hash} at the moment.`);
      const isHard = attempts >= hardAttempts;
      const wanted = isForFunding(row) ? await findSuspects(block) : block.transactions;
      const options = isForFunding(row) ? { isFirst, isHard, only: wanted } : { isFirst, isHard };
      return { block, wanted, frames: await (pending?.frames ?? context.tracer!.frames(block, options)) };
    } catch (error) {
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  function findSuspects(block: Block): Promise<readonly Transaction[]> {
    return runExclusive(async () => {
      await context.funding.refresh(store);
      return context.funding.suspects(block);
    });
  }

  async function postponeOrGiveUp(row: UntracedBlock, error: Error): Promise<void> {
    const reason = error instanceof NotTraced ? error.reason : 'unanswered';
    lastFault = traceFaults[reason];
    const isHopeless =
      (reason === 'unsupported' && mode !== 'required') ||
      (row.attempts + 1 >= maxAttempts && now() - row.createdAt >= maxWaitMs);
    await unlessStopped(() =>
      store.transaction(async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        if (!isHopeless) {
          const at = now() + Math.min(600_000, 1000 * 2 ** Math.min(row.attempts, 10));
          await postponeUntraced(tx, chain.uid, row, row.remaining, at);
        } else if (reason === 'unsupported' && !hasTraced) await deleteUntraced(tx, chain.uid, [row]);
        else await giveUpUntraced(tx, chain.uid, [row], traceFaults[reason], now());
      }),
    );
  }

  /** Repeats the evaluation when a block or the clock changed a state meanwhile. */
  async function evaluateUntilSettled(row: UntracedBlock, traced: Traced): Promise<void> {
    hasTraced = true;
    lastFault = null;
    const { block, frames } = traced;
    const matches = await matchesOf(row, block, frames);
    for (let isSettled = false; !isSettled && !context.isStopped; ) {
      const before = await loadStates(matches);
      const isOverdue = now() - row.createdAt >= (context.readWaitMs ?? defaultReadWaitMs);
      const evaluated = await evaluateMatches(
        matches,
        (subscriber) => before.get(subscriber),
        (requests) => context.fetch(requests, 'background'),
        isOverdue ? 'degrade' : 'defer',
      );
      isSettled = await settle(row, before, evaluated, traced);
    }
    processed = Math.max(processed ?? 0, row.number);
  }

  /** Without those that were created after it. */
  async function matchesOf(
    { remaining }: UntracedBlock,
    block: Block,
    frames: BlockFrames,
  ): Promise<Matches> {
    const matches = await watchList.index.matchTracesInTurns(block, frames);
    for (const subscriber of matches.keys())
      if (
        watchList.isYounger(subscriber, block.number) ||
        (remaining && !remaining.includes(keyOf(subscriber)))
      )
        matches.delete(subscriber);
    return matches;
  }

  /** For those who are shown the block now; who remains of an evaluation that was put off was notified before. */
  function blindSpotsOf(
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

  function loadStates(matches: Matches): Promise<Map<Subscriber, SubscriberState | undefined>> {
    return runExclusive(async () => {
      await states.load(matches.keys());
      return new Map(Array.from(matches.keys(), (subscriber) => [subscriber, states.get(subscriber)]));
    });
  }

  async function settle(
    row: UntracedBlock,
    before: ReadonlyMap<Subscriber, SubscriberState | undefined>,
    evaluated: Evaluated,
    { block, wanted, frames }: Traced,
  ): Promise<boolean> {
    const missing = wanted.filter(({ index }) => !frames[index]);
    let isSettled = true;
    await unlessStopped(async () => {
      isSettled = [...before].every(([subscriber, state]) => states.get(subscriber) === state);
      if (!isSettled) return;
      const writes = createWrites();
      // Under the newest block, because its states come after those of the blocks before.
      const at = Math.max(row.number, context.tip?.number ?? 0);
      addEvaluated(
        writes,
        { ...evaluated, findings: markLate(evaluated.findings, now() - row.createdAt, lateAfterMs) },
        states.apply(at, evaluated.states),
      );
      writes.findings.push(...blindSpotsOf(row, block, missing));
      await context.funding.refresh(store);
      const funded = context.funding.traceInner(block, frames);
      const remaining = evaluated.deferred.map(({ subscriber }) => keyOf(subscriber));
      const retryAt = now() + Math.min(60_000, 1000 * 2 ** Math.min(row.attempts, 6));
      await commitWrites(context, writes, async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        const isThere =
          remaining.length > 0
            ? await postponeUntraced(tx, chain.uid, row, remaining, retryAt)
            : await deleteUntraced(tx, chain.uid, [row]);
        await context.funding.add(tx, funded);
        if (missing.length > 0) {
          const hashes = missing.map(({ hash }) => hash);
          await recordUnseen(tx, chain.uid, row, hashes, traceFaults.transaction, now());
        }
        // A reorganisation took it away meanwhile.
        if (!isThere) throw new Error(`Block ${row.number} does not wait for its traces any more.`);
      });
      meter.countAlerts(writes.findings);
      for (const { fault } of evaluated.deferred)
        if (fault && row.attempts === 1)
          await commitInPlace(
            context,
            createWrites({
              outcomes: [{ subscriber: fault.subscriber, fault: { ...fault, isWaiting: true } }],
            }),
          );
    });
    return isSettled;
  }

  function unlessStopped(work: () => Promise<unknown>): Promise<void> {
    return runExclusive(async () => {
      if (!context.isStopped) await work();
    });
  }

  /** Gives up what is beyond the limit and publishes how traces fare; without a tracer once, as that does not change. */
  async function upkeep(): Promise<void> {
    if ((!tracer && isPublished) || context.isStopped) return;
    if (isWanted() || backlog.count > 0 || !isPublished) backlog = await countUntraced(store, chain.uid);
    if (backlog.count > maxWaiting)
      await unlessStopped(() =>
        store.transaction(async (tx) => {
          await assertHolder(tx, chain.uid, holder);
          const excess = await listExcess(tx, chain.uid, maxWaiting);
          await giveUpUntraced(tx, chain.uid, excess, traceFaults.late, now());
        }),
      );
    await publish(state());
    isPublished = true;
  }

  function state(): TraceState {
    const kinds = tracer?.kinds();
    const isOff = !tracer || mode === 'off';
    const isLate =
      backlog.failing > 0 || (backlog.oldestAt !== null && now() - backlog.oldestAt > lateAfterMs);
    const name = isOff
      ? 'off'
      : !watchList.index.wantsTraces()
        ? 'idle'
        : kinds?.length === 0
          ? 'unavailable'
          : isLate
            ? 'late'
            : 'ok';
    const reasons = {
      off: mode === 'off' ? traceFaults.off : null,
      unavailable: traceFaults.unsupported,
      late: lastFault ?? traceFaults.late,
      idle: null,
      ok: null,
    };
    return {
      mode,
      state: name,
      kinds: [...(kinds ?? [])],
      processed,
      waiting: backlog.count,
      reason: reasons[name],
    };
  }

  return { isWanted, isPossible, prefetch, start, upkeep, state };
}

/** `wanted`: the transactions whose frames were asked for. */
type Traced = { block: Block; wanted: readonly Transaction[]; frames: BlockFrames };

function isForFunding({ remaining }: UntracedBlock): boolean {
  return remaining?.length === 1 && remaining[0] === fundingKey;
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

/** In words that name no node: every tenant may read them. */
const traceFaults = {
  off: 'Traces are switched off, so that what contracts do within transactions is not seen.',
  unsupported:
    'No node of the chain traces calls, so that what contracts do within transactions is not seen.',
  unanswered: 'Nodes did not give the traces of blocks.',
  wrong: 'Nodes gave traces that do not fit their blocks.',
  'too large': 'The traces of a block are too large.',
  transaction: 'The trace of a transaction is too large, or no node gives it.',
  late: 'Traces come more slowly than blocks.',
};

function keyOf({ kind, id }: Pick<Subscriber, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}
