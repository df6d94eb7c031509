import { adopt, pendingSource } from '../../alerts/adoptPending.ts';
import { alertUid } from '../../alerts/alertUid.ts';
import { limitRate } from '../../alerts/limitRate.ts';
import { prepareRaise, raiseAlerts } from '../../alerts/raiseAlerts.ts';
import { retractPending } from '../../alerts/retractBlocks.ts';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import type { Finding, RetractionReason } from '../../model/alert.ts';
import type { Block } from '../../model/block.ts';
import type { MempoolSubscription, PendingState, PendingTransaction } from '../../model/pending.ts';
import type { Db } from '../../store/db.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import {
  holdUnfulfilled,
  insertPendingAlerts,
  listTracked,
  type MinedTransaction,
  markGone,
  markMined,
  markUnfulfilledGone,
  purgePending,
  readFindings,
  savePendingState,
  type TrackedTransaction,
} from '../../store/watch/pendingAlerts.ts';
import { createPendingFilter } from '../../watch/createPendingFilter.ts';
import { createPendingEvaluator, type PendingFinding } from './createPendingEvaluator.ts';
import type { PipelineContext } from './createPipelineContext.ts';

/** Simulations that run at once, those of one tenant, and those of a tenant that may wait; more are dropped. */
const queueSizes = { slots: 8, slotsPerKey: 4, waitingPerKey: 128 };
/** Transactions that name no watched contract are simulated too, as many a second: an attacker's contract is known to no one. */
const unknownPerSecond = 50;
const unknownKey = 0;
/** Transactions that came to nothing are simulated again on the next blocks: what they need may be mined first. */
const maxRepeated = 256;
const repeatMs = 120_000;
/** The transactions of so many of the last blocks are remembered: endpoints may announce one late. */
const maxRecent = 200_000;
const checkMs = 15_000;
const defaultDropMs = 120_000;
const settleBatch = 500;

/**
 * Raises alerts of transactions that no block has yet: simulated on the newest state, evaluated as those of a block, but without
 * keeping a state. When a block has the transaction, its findings become the same alerts; when it vanishes, they are retracted.
 */
export function createPendingWork(context: PipelineContext) {
  const { chain, store, watchList, meter, holder, now, mempool, pendingMode: mode } = context;
  const { pendingIndex } = watchList;
  const filter = createPendingFilter(pendingIndex);
  const queue = createFairQueue(queueSizes);
  const evaluator = createPendingEvaluator(context);
  let subscription: MempoolSubscription | undefined;
  /** With alerts that no block has shown yet, by hash. */
  let tracked = new Map<string, TrackedTransaction>();
  let isLoaded = false;
  const recent = new Set<string>();
  const repeated = new Map<string, { transaction: PendingTransaction; key: number; until: number }>();
  const missingSince = new Map<string, number>();
  const counts = { simulated: 0, dropped: 0 };
  const counted = { seen: 0, simulated: 0, dropped: 0 };
  let unknown = { second: 0, count: 0 };
  const dropMs = context.pendingDropMs ?? defaultDropMs;
  let checkedAt = 0;
  let isSettling = false;
  let lastFault: string | null = null;

  function isWanted(): boolean {
    return mempool !== undefined && mode === 'auto' && !pendingIndex.isEmpty();
  }

  /** Connects as soon as something wants pending transactions, and leaves when nothing does any more. */
  function start(): void {
    if (context.isStopped || !isWanted()) stop();
    else subscription ??= mempool?.subscribe(take);
  }

  function stop(): void {
    subscription?.stop();
    subscription = undefined;
  }

  function take(transaction: PendingTransaction): void {
    if (context.isStopped || recent.has(transaction.hash)) return;
    retractReplaced(transaction);
    const key = filter.judge(transaction);
    if (key === undefined) return;
    if (key === 'unknown' && !isAffordable()) counts.dropped++;
    else enqueue(transaction, key === 'unknown' ? unknownKey : key);
  }

  function isAffordable(): boolean {
    const second = Math.floor(now() / 1000);
    if (unknown.second !== second) unknown = { second, count: 0 };
    return unknown.count++ < unknownPerSecond;
  }

  function enqueue(transaction: PendingTransaction, key: number): void {
    queue
      .run(key, () => process(transaction, key))
      .catch((error: unknown) => {
        counts.dropped++;
        if (error instanceof Error) lastFault = error.message;
      });
  }

  async function process(transaction: PendingTransaction, key: number): Promise<void> {
    const { tip } = context;
    if (!mempool || !tip || context.isStopped || recent.has(transaction.hash)) return;
    const simulation = await mempool.simulate(transaction, tip);
    counts.simulated++;
    lastFault = null;
    if (!simulation) return;
    const found = simulation.isSuccess ? await evaluator.evaluate(transaction, simulation) : [];
    if (found.length > 0) await raise(transaction, found);
    else if (key !== unknownKey || transaction.to === null || !simulation.isSuccess)
      repeatLater(transaction, key);
  }

  function repeatLater(transaction: PendingTransaction, key: number): void {
    const until = repeated.get(transaction.hash)?.until ?? now() + repeatMs;
    repeated.set(transaction.hash, { transaction, key, until });
    const [oldest] = repeated.keys();
    if (oldest !== undefined && repeated.size > maxRepeated) repeated.delete(oldest);
  }

  /** In the turn of blocks, so that a block with the transaction comes wholly before it or after it. */
  async function raise(transaction: PendingTransaction, found: readonly PendingFinding[]): Promise<void> {
    const { hash, from: sender, nonce, maxFee, tip } = transaction;
    await prepareRaise(
      store,
      found.map(({ finding }) => finding),
    );
    const raised = await context.runExclusive(async () => {
      if (context.isStopped || recent.has(hash)) return [];
      const written = await store.transaction(async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        const rows = found.map(({ finding, needsTrace }) => ({
          ...placeOf(finding, hash),
          uid: alertUid(finding),
          timestamp: finding.timestamp,
          sender,
          nonce,
          maxFee: String(maxFee),
          tip: tip === null ? null : String(tip),
          needsTrace,
        }));
        const inserted = await insertPendingAlerts(tx, chain.uid, rows, now());
        const fresh = found.flatMap(({ finding }): Finding[] => {
          const own = placeOf(finding, hash);
          const row = inserted.find(
            ({ tenantId, source, place }) =>
              tenantId === own.tenantId && source === own.source && place === own.place,
          );
          return row ? [{ ...finding, uid: row.uid, timestamp: row.timestamp }] : [];
        });
        await raiseAlerts(tx, await limitRate(tx, fresh, now()), context.alertHooks);
        return fresh;
      });
      if (written.length > 0)
        tracked.set(hash, { hash, sender, nonce, maxFee: String(maxFee), state: 'PENDING' });
      return written;
    });
    meter.countAlerts(raised);
  }

  /** A transaction of the same sender with the same nonce that pays more takes its place. */
  function retractReplaced({ hash, from, nonce, maxFee }: PendingTransaction): void {
    for (const one of tracked.values())
      if (one.sender === from && one.nonce === nonce && one.hash !== hash && maxFee > BigInt(one.maxFee))
        retract([one.hash], 'REPLACED').catch(report);
  }

  async function retract(hashes: readonly string[], reason: RetractionReason): Promise<void> {
    await unlessStopped(async () => {
      await store.transaction(async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        const alerts = await markGone(tx, chain.uid, hashes, now());
        await retractPending(tx, { alerts, reason, now: now() }, context.retractionHooks);
      });
      for (const hash of hashes) if (tracked.get(hash)?.state === 'PENDING') tracked.delete(hash);
    });
  }

  /** Loads what earlier processes raised; before the first block is processed. */
  async function load(): Promise<void> {
    if (isLoaded) return;
    for (const row of await listTracked(store, chain.uid)) tracked.set(row.hash, row);
    isLoaded = true;
  }

  /** What blocks have of the tracked transactions, or in their place; written in the transaction that moves the cursor. */
  function findMined(blocks: readonly Block[], isTraced: (block: Block) => boolean) {
    const mined: MinedTransaction[] = [];
    const replaced: string[] = [];
    if (tracked.size > 0) {
      const senders = new Map(
        Array.from(tracked.values(), (one) => [`${one.sender} ${one.nonce}`, one.hash]),
      );
      const addresses = new Set(Array.from(tracked.values(), ({ sender }) => sender));
      for (const block of blocks)
        for (const transaction of block.transactions) {
          if (tracked.has(transaction.hash))
            mined.push({ hash: transaction.hash, block, isTraced: isTraced(block) });
          else if (addresses.has(transaction.from)) {
            const hash = senders.get(`${transaction.from} ${transaction.nonce}`);
            if (hash !== undefined) replaced.push(hash);
          }
        }
    }
    return {
      async write(tx: Db): Promise<void> {
        await markMined(tx, chain.uid, mined, now());
        if (replaced.length === 0) return;
        const alerts = await markGone(tx, chain.uid, replaced, now());
        await retractPending(tx, { alerts, reason: 'REPLACED', now: now() }, context.retractionHooks);
      },
      committed(): void {
        for (const hash of replaced) tracked.delete(hash);
        for (const { hash } of mined) {
          const one = tracked.get(hash);
          if (one) tracked.set(hash, { ...one, state: 'MINED' });
        }
        if (!subscription) return;
        for (const block of blocks) {
          filter.learn(block);
          for (const { hash } of block.transactions) {
            recent.add(hash);
            repeated.delete(hash);
          }
        }
        for (const hash of recent) {
          if (recent.size <= maxRecent) break;
          recent.delete(hash);
        }
        evaluator.forgetStates();
        for (const [hash, { transaction, key, until }] of repeated) {
          if (until <= now()) repeated.delete(hash);
          else enqueue(transaction, key);
        }
      },
    };
  }

  /** Everything may be pending again. */
  function forgetBlocks(): void {
    isLoaded = false;
    tracked.clear();
    recent.clear();
    evaluator.forgetStates();
  }

  /** Ends what mined transactions left open, and what no endpoint has any more; publishes how it fares. */
  async function upkeep(): Promise<void> {
    if (!mempool || context.isStopped || isSettling) return;
    isSettling = true;
    try {
      await load();
      if ([...tracked.values()].some(({ state }) => state === 'MINED')) await settleMined();
      if (tracked.size > 0 && now() - checkedAt >= Math.min(checkMs, dropMs)) await retractVanished();
      const published = state();
      for (const type of ['seen', 'simulated', 'dropped'] as const) {
        meter.countPending(type, published[type] - counted[type]);
        counted[type] = published[type];
      }
      await savePendingState(store, chain.uid, holder, published);
    } finally {
      isSettling = false;
    }
  }

  /** Alerts that their blocks do not show: they are retracted, unless no one can know, or an action was fired for them. */
  async function settleMined(): Promise<void> {
    await unlessStopped(async () => {
      await store.transaction(async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        const open = await holdUnfulfilled(tx, chain.uid, settleBatch);
        const kept = open.filter(({ isUnseen, hasFired }) => isUnseen || hasFired);
        const gone = open.filter((alert) => !kept.includes(alert));
        if (kept.length > 0) {
          const findings = new Map((await readFindings(tx, kept)).map((finding) => [finding.uid, finding]));
          const pairs = kept.map((alert) => {
            const { message, ...finding } = findings.get(alert.uid)!;
            const { blockNumber, blockHash } = alert;
            const note = alert.isUnseen
              ? ''
              : ` Block ${blockNumber} has the transaction, but it did not do this.`;
            const settled: Finding = { ...finding, message: `${message}${note}`, blockNumber, blockHash };
            return [settled, { ...alert, isRetracted: false }] as const;
          });
          await adopt(tx, chain.uid, pairs, context.minedHooks, now());
        }
        if (gone.length > 0) {
          await markUnfulfilledGone(tx, chain.uid, gone, now());
          const retraction = { alerts: gone, reason: 'UNFULFILLED' as const, now: now() };
          await retractPending(tx, retraction, context.retractionHooks);
        }
      });
      const rows = await listTracked(store, chain.uid);
      tracked = new Map(rows.map((row) => [row.hash, row]));
      await purgePending(store, chain.uid, now());
    });
  }

  async function retractVanished(): Promise<void> {
    checkedAt = now();
    const hashes = Array.from(tracked.values()).flatMap(({ hash, state }) =>
      state === 'PENDING' ? [hash] : [],
    );
    if (hashes.length === 0 || !mempool) return;
    const vanished = new Set(await mempool.findVanished(hashes));
    for (const hash of missingSince.keys()) if (!vanished.has(hash)) missingSince.delete(hash);
    for (const hash of vanished) if (!missingSince.has(hash)) missingSince.set(hash, now());
    const dropped = [...missingSince].flatMap(([hash, since]) => (now() - since >= dropMs ? [hash] : []));
    if (dropped.length === 0) return;
    await retract(dropped, 'DROPPED');
    subscription?.forget(dropped);
    for (const hash of dropped) missingSince.delete(hash);
  }

  function unlessStopped(work: () => Promise<unknown>): Promise<void> {
    return context.runExclusive(async () => {
      if (!context.isStopped) await work();
    });
  }

  function report(error: unknown): void {
    if (!context.isStopped) context.onError(error);
  }

  function state(): PendingState {
    const kinds = subscription?.kinds();
    const { seen = 0, dropped = 0 } = subscription?.counts() ?? {};
    const name =
      !mempool || mode === 'off'
        ? 'off'
        : !isWanted()
          ? 'idle'
          : kinds?.length === 0 || lastFault
            ? 'unavailable'
            : 'ok';
    return {
      mode,
      state: name,
      kinds: [...(kinds ?? [])],
      simulations: [...(mempool?.simulations() ?? [])],
      seen,
      simulated: counts.simulated,
      dropped: dropped + counts.dropped,
      waiting: tracked.size,
      reason:
        name !== 'unavailable'
          ? null
          : lastFault
            ? 'Nodes do not run pending transactions.'
            : 'No node of the chain announces pending transactions.',
    };
  }

  return { start, stop, load, findMined, forgetBlocks, upkeep };
}

function placeOf(finding: Finding, txHash: string) {
  return { txHash, tenantId: finding.tenantId, source: pendingSource(finding), place: finding.place ?? '' };
}
