import type { TraceState } from '../../model/traceState.ts';
import { assertHolder } from '../../store/watch/cursor.ts';
import { countUntraced, giveUpUntraced, listExcess } from '../../store/watch/untraced.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { createPublisher } from '../commit/createPublisher.ts';
import { traceFaults } from './traceFaults.ts';

/** Progress of the trace work since it was started. */
export type TraceProgress = {
  hasTraced: boolean;
  processed: number | null;
  lastFault: string | null;
  /** False when no block of the chain waited at the last look and none was added since. */
  mayWait: boolean;
};

/** Blocks that may wait for their traces; the oldest of more are given up. */
const maxWaiting = 20_000;

/** Gives up the blocks beyond the limit and publishes the state of the traces; without a tracer once, as that does not change. */
export function createTraceUpkeep(
  context: PipelineContext,
  progress: TraceProgress,
  { isWanted, lateAfterMs }: { isWanted: () => boolean; lateAfterMs: number },
): () => Promise<void> {
  const { chain, store, watchList, holder, now, tracer, traceMode: mode } = context;
  const publish = createPublisher(store, { chainUid: chain.uid, holder, of: 'traces' });
  let isPublished = false;
  let waiting: { count: number; oldestAt: number | null; failing: number } = {
    count: 0,
    oldestAt: null,
    failing: 0,
  };

  function giveUpExcess(): Promise<void> {
    return context.runUnlessStopped(() =>
      store.transaction(async (tx) => {
        await assertHolder(tx, chain.uid, holder);
        const excess = await listExcess(tx, chain.uid, maxWaiting);
        await giveUpUntraced(tx, chain.uid, excess, traceFaults.late, now());
      }),
    );
  }

  function nameState(kinds: readonly string[] | undefined): TraceState['state'] {
    if (!tracer || mode === 'off') return 'off';
    if (!watchList.index.wantsTraces()) return 'idle';
    if (kinds?.length === 0) return 'unavailable';
    const isLate = waiting.oldestAt !== null && now() - waiting.oldestAt > lateAfterMs;
    return waiting.failing > 0 || isLate ? 'late' : 'ok';
  }

  function describeState(): TraceState {
    const kinds = tracer?.kinds();
    const state = nameState(kinds);
    const reasons = {
      off: mode === 'off' ? traceFaults.off : null,
      unavailable: traceFaults.unsupported,
      late: progress.lastFault ?? traceFaults.late,
      idle: null,
      ok: null,
    };
    return {
      mode,
      state,
      kinds: [...(kinds ?? [])],
      processed: progress.processed,
      waiting: waiting.count,
      reason: reasons[state],
    };
  }

  return async function upkeep() {
    if ((!tracer && isPublished) || context.isStopped) return;
    if (progress.mayWait ? isWanted() || waiting.count > 0 || !isPublished : waiting.count > 0)
      waiting = await countUntraced(store, chain.uid);
    if (waiting.count > maxWaiting) await giveUpExcess();
    await publish(describeState());
    isPublished = true;
  };
}
