import type { WriteHooks } from '../../alerts/applyWrite.ts';
import type { AlertWriter } from '../../alerts/createAlertWriter.ts';
import type { Tracer } from '../../chains/chainClient.ts';
import type { Chain } from '../../chains/chains.ts';
import type { AuditKeys } from '../../lib/auditKey.ts';
import { createMutex } from '../../lib/createMutex.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import type { Block, Header } from '../../model/block.ts';
import type { Mempool, PendingMode } from '../../model/pending.ts';
import type { TraceMode } from '../../model/traceState.ts';
import type { Store } from '../../store/db/db.ts';
import type { CursorStep } from '../../store/watch/cursor.ts';
import type { FundingTracker } from '../reads/createFundingTracker.ts';
import { createStateCache } from '../subscribers/createStateCache.ts';
import type { WatchList } from '../subscribers/createWatchList.ts';
import type { WatchMeter } from '../subscribers/createWatchMeter.ts';
import type { FaultLedger } from '../subscribers/openFaultLedger.ts';
import type { Deferrals } from './openDeferrals.ts';

export type PipelineOptions = Pick<WriteHooks, 'minedHooks' | 'retractionHooks'> & {
  chain: Chain;
  store: Store;
  watchList: WatchList;
  fetch: Fetch;
  ledger: FaultLedger;
  deferrals: Deferrals;
  funding: FundingTracker;
  meter: WatchMeter;
  /** Sign the audit entries of what is switched off. */
  auditKeys: Pick<AuditKeys, 'newest'>;
  /** The holder of the chain's lease. */
  holder: string;
  confirmations: number;
  /** Time for which evaluations wait for failing reads, if not the default. */
  readWaitMs?: number | undefined;
  /** Reads a deferred block again. */
  readBlock: (number: number) => Promise<Block | null>;
  /** Adds what transactions of watched addresses do, on chains whose blocks come without. */
  detail?: (block: Block) => Promise<Block>;
  /** Gives what contracts do within the transactions of a block; undefined where no node of the family does. */
  tracer: Tracer | undefined;
  traceMode: TraceMode;
  /** The pending transactions; undefined where no node of the family shows them. */
  mempool: Mempool | undefined;
  pendingMode: PendingMode;
  /** Time without any endpoint having a pending transaction before its alerts are retracted, if not the default. */
  pendingDropMs?: number | undefined;
  /** The highest block that a node is known to have. */
  head: () => number;
  /** True if any node answers as it should. */
  isReachable: () => boolean;
  alerts: AlertWriter;
  now: () => number;
  /** Called before and after each step with pending transactions that a crash could interrupt; tests stop the process there. */
  onStep?: ((step: string) => void | Promise<void>) | undefined;
  /** Called when deferred evaluations fail; they are retried. */
  onError: (error: unknown) => void;
};

export type PipelineContext = ReturnType<typeof createPipelineContext>;

/**
 * State shared by the parts of the pipeline: the position on the chain, the caches of stored data, and the mutex that
 * guards both.
 */
export function createPipelineContext(options: PipelineOptions, tip: Header | undefined) {
  const { store, funding, deferrals } = options;
  const mutex = createMutex();
  const states = createStateCache(store);
  let areDeferralsStale = false;

  const context = {
    ...options,
    onStep: options.onStep ?? (() => {}),
    /** Includes the funding that the current blocks bring, which is not stored yet. */
    fetch: funding.withUnwritten(options.fetch),
    states,
    /** The newest block that is stored. */
    tip,
    isStopped: false,

    /** Blocks and the clock take turns, because both change the caches. */
    runExclusive<T>(work: () => Promise<T>): Promise<T> {
      return mutex.runExclusive(async () => {
        try {
          return await work();
        } catch (error) {
          // The caches may hold what was not written.
          states.clear();
          funding.invalidate();
          areDeferralsStale = true;
          throw error;
        }
      });
    },

    /** For work beside the chain, which ends with the pipeline. */
    runUnlessStopped(work: () => Promise<unknown>): Promise<void> {
      return context.runExclusive(async () => {
        if (!context.isStopped) await work();
      });
    },

    async refreshDeferrals(): Promise<void> {
      if (!areDeferralsStale) return;
      await deferrals.reload();
      areDeferralsStale = false;
    },

    cursorStep: (): CursorStep => ({
      chainUid: options.chain.uid,
      holder: options.holder,
      from: context.tip,
      head: options.head(),
      confirmations: options.confirmations,
      now: options.now(),
    }),

    /** Nothing is written any more once this resolves. */
    async stop(): Promise<void> {
      context.isStopped = true;
      await mutex.idle();
    },
  };
  return context;
}
