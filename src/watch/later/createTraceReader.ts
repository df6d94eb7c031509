import type { Block, BlockFrames, Transaction } from '../../model/block.ts';
import { fundingKey, type UntracedBlock } from '../../store/watch/untraced.ts';
import type { PipelineContext } from '../commit/createPipelineContext.ts';
import { createBacklog } from './createBacklog.ts';

/** `wanted`: the transactions whose frames were asked for. */
export type Traced = { block: Block; wanted: readonly Transaction[]; frames: BlockFrames };

/** Blocks that are traced concurrently, and those whose traces are kept until their turn. */
export const maxInFlight = 4;
const maxKept = 8;
const keptMs = 60_000;
/** After so many attempts a transaction that nodes fail at is left out, if they give the others. */
const hardAttempts = 6;

/** Gives the traces of blocks, which are requested before the blocks are evaluated where there is room. */
export function createTraceReader(context: PipelineContext) {
  const { tracer, watchList, funding } = context;
  const backlog = createBacklog(context);
  const requested = new Map<string, { block: Block; frames: Promise<BlockFrames>; askedAt: number }>();
  let inFlight = 0;

  /** Transactions of watched contracts come first where transactions are traced one by one. */
  const isFirst = (transaction: Transaction) => watchList.index.tracing(transaction).size > 0;

  function prefetch(block: Block): void {
    if (!tracer || inFlight >= maxInFlight || requested.has(block.hash) || !hasRoom()) return;
    inFlight++;
    const frames = tracer.frames(block, { isFirst }).finally(() => inFlight--);
    // Handled by the caller that awaits `frames`.
    frames.catch(() => undefined);
    requested.set(block.hash, { block, frames, askedAt: context.now() });
  }

  /** Traces that wait for their turn stay, or they would be asked for twice; those of dropped blocks make room after a while. */
  function hasRoom(): boolean {
    if (requested.size < maxKept) return true;
    for (const [hash, { askedAt }] of requested) if (context.now() - askedAt > keptMs) requested.delete(hash);
    return requested.size < maxKept;
  }

  async function read(row: UntracedBlock): Promise<Traced> {
    const prefetched = requested.get(row.hash);
    requested.delete(row.hash);
    const block = prefetched?.block ?? (await backlog.readBlock(row));
    const isHard = row.attempts >= hardAttempts;
    const wanted = isForFunding(row) ? await findSuspects(block) : block.transactions;
    const options = isForFunding(row) ? { isFirst, isHard, only: wanted } : { isFirst, isHard };
    return { block, wanted, frames: await (prefetched?.frames ?? tracer!.frames(block, options)) };
  }

  function findSuspects(block: Block): Promise<readonly Transaction[]> {
    return context.runExclusive(async () => {
      await funding.refresh(context.store);
      return funding.suspects(block);
    });
  }

  return { backlog, prefetch, read };
}

function isForFunding({ remaining }: UntracedBlock): boolean {
  return remaining?.length === 1 && remaining[0] === fundingKey;
}
