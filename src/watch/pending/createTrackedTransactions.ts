import { adopt } from '../../alerts/adoptPending.ts';
import { retractPending } from '../../alerts/retractBlocks.ts';
import type { Finding, RetractionReason } from '../../model/alert.ts';
import type { PendingTransaction } from '../../model/pending.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import {
  findMinedTenants,
  holdUnfulfilled,
  listTracked,
  markGone,
  markUnfulfilledGone,
  purgePending,
  readFindings,
  type TrackedTransaction,
  type UnfulfilledAlert,
} from '../../store/watch/pendingAlerts.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { createTransactionTable } from './createTransactionTable.ts';

export type TrackedTransactions = ReturnType<typeof createTrackedTransactions>;

const checkMs = 15_000;
const defaultDropMs = 120_000;
const settleBatch = 500;

/** The pending transactions with alerts that no block has shown yet, until a block shows them or they are retracted. */
export function createTrackedTransactions(context: PipelineContext) {
  const { chain, store, holder, now, mempool, onStep } = context;
  const dropMs = context.pendingDropMs ?? defaultDropMs;
  const tracked = createTransactionTable<TrackedTransaction>();
  const missingSince = new Map<string, number>();
  /** Hashes of transactions to retract. */
  const replaced = new Set<string>();
  let isRetracting = false;
  let isLoaded = false;
  let checkedAt = 0;

  /** Loads what earlier processes raised; before the first block is processed. */
  async function load(): Promise<void> {
    if (!isLoaded) await reload();
  }

  async function reload(): Promise<void> {
    const rows = await listTracked(store, chain.uid);
    tracked.clear();
    for (const row of rows) tracked.set(row);
    isLoaded = true;
  }

  /** `isReplaced`: another one took its place while its alerts were written. */
  function add(transaction: TrackedTransaction, isReplaced: boolean): void {
    tracked.set(transaction);
    if (isReplaced) retractSoon(transaction.hash);
  }

  /** A transaction of the same sender with the same nonce that pays more takes its place. */
  function retractReplacedBy(transaction: PendingTransaction): void {
    for (const { hash, maxFee } of tracked.rivals(transaction))
      if (transaction.maxFee > BigInt(maxFee)) retractSoon(hash);
  }

  function retractSoon(hash: string): void {
    replaced.add(hash);
    if (!isRetracting)
      retractReplaced().catch((error: unknown) => {
        if (!context.isStopped) context.onError(error);
      });
  }

  /** All that there are by then in one turn; what fails is left for the next time. */
  async function retractReplaced(): Promise<void> {
    if (isRetracting) return;
    isRetracting = true;
    try {
      while (replaced.size > 0) {
        const hashes = [...replaced];
        await retract(hashes, 'REPLACED');
        for (const hash of hashes) replaced.delete(hash);
      }
    } finally {
      isRetracting = false;
    }
  }

  async function retract(hashes: readonly string[], reason: RetractionReason): Promise<void> {
    await unlessStopped(async () => {
      await onStep('before alerts of a pending transaction are retracted');
      await context.alerts.commit(chain.uid, async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        const alerts = await markGone(tx, chain.uid, hashes, now());
        await onStep('while alerts of a pending transaction are retracted');
        return { result: undefined, writes: [{ type: 'retractPending', alerts, reason }] };
      });
      for (const hash of hashes) if (tracked.get(hash)?.state === 'PENDING') tracked.delete(hash);
      await onStep('after alerts of a pending transaction were retracted');
    });
  }

  function setMined(mined: readonly string[], gone: readonly string[]): void {
    for (const hash of gone) if (tracked.get(hash)?.state === 'PENDING') tracked.delete(hash);
    for (const hash of mined) {
      const one = tracked.get(hash);
      if (one) tracked.set({ ...one, state: 'MINED' });
    }
  }

  /** Ends what is open; returns those that no endpoint has any more. */
  async function upkeep(): Promise<string[]> {
    await load();
    if ([...tracked.values()].some(({ state }) => state === 'MINED')) await settleMined();
    await retractReplaced();
    if (tracked.size === 0 || now() - checkedAt < Math.min(checkMs, dropMs)) return [];
    checkedAt = now();
    return retractVanished();
  }

  /** Alerts that their blocks do not show: they are retracted, unless no one can know, or an action was fired for them. */
  async function settleMined(): Promise<void> {
    await unlessStopped(async () => {
      await onStep('before a mined transaction is settled');
      const mined = await findMinedTenants(store, chain.uid);
      for (const tenantIds of await context.alerts.settledTenants(chain.uid, mined))
        await settleMinedOf(tenantIds);
      await onStep('after a mined transaction was settled');
      await reload();
      await purgePending(store, chain.uid, now());
    });
  }

  async function settleMinedOf(tenantIds: readonly number[] | undefined): Promise<void> {
    await store.transaction(async (tx) => {
      await assertHolder(tx, chain.uid, holder);
      const open = await holdUnfulfilled(tx, chain.uid, settleBatch, tenantIds);
      const tracked = open.filter(({ isUnseen, hasFired }) => isUnseen || hasFired);
      const gone = open.filter((alert) => !tracked.includes(alert));
      if (tracked.length > 0) {
        const findings = new Map((await readFindings(tx, tracked)).map((finding) => [finding.uid, finding]));
        const pairs = tracked.map(
          (alert) => [toSettled(findings.get(alert.uid)!, alert), { ...alert, isRetracted: false }] as const,
        );
        await adopt(tx, chain.uid, pairs, context.minedHooks, now());
      }
      if (gone.length > 0) {
        await markUnfulfilledGone(tx, chain.uid, gone, now());
        const retraction = { alerts: gone, reason: 'UNFULFILLED' as const, now: now() };
        await retractPending(tx, retraction, context.retractionHooks);
      }
      await onStep('while a mined transaction is settled');
    });
  }

  async function retractVanished(): Promise<string[]> {
    const hashes = Array.from(tracked.values()).flatMap(({ hash, state }) =>
      state === 'PENDING' ? [hash] : [],
    );
    if (hashes.length === 0 || !mempool) return [];
    const vanished = new Set(await mempool.findVanished(hashes));
    for (const hash of missingSince.keys()) if (!vanished.has(hash)) missingSince.delete(hash);
    for (const hash of vanished) if (!missingSince.has(hash)) missingSince.set(hash, now());
    const dropped = [...missingSince].flatMap(([hash, since]) => (now() - since >= dropMs ? [hash] : []));
    if (dropped.length === 0) return [];
    await retract(dropped, 'DROPPED');
    for (const hash of dropped) missingSince.delete(hash);
    return dropped;
  }

  function unlessStopped(work: () => Promise<unknown>): Promise<void> {
    return context.runExclusive(async () => {
      if (!context.isStopped) await work();
    });
  }

  return {
    load,
    add,
    has: tracked.has,
    rivals: tracked.rivals,
    isEmpty: () => tracked.size === 0,
    size: () => tracked.size,
    retractReplacedBy,
    setMined,
    upkeep,
    /** Blocks were dropped: what is stored is loaded again. */
    forget(): void {
      tracked.clear();
      isLoaded = false;
    },
  };
}

/** `meta.unfulfilled` says that the block has the transaction without what was reported; no text of a finding can say so. */
function toSettled({ message, meta, ...finding }: Finding, alert: UnfulfilledAlert): Finding {
  const { blockNumber, blockHash, isUnseen } = alert;
  const note = isUnseen ? '' : ` Block ${blockNumber} has the transaction, but it did not do this.`;
  const known = isUnseen ? meta : { ...meta, unfulfilled: true };
  return { ...finding, message: `${message}${note}`, meta: known, blockNumber, blockHash };
}
