import { getChain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { compileDetector } from '../../matching/compileDetector.ts';
import { wantsTraces } from '../../matching/subscriptions.ts';
import { detectorTable } from '../../store/tables/detectorTable.ts';
import { findDetectorToRun } from '../../store/watch/backtests.ts';
import { findChainStates } from '../../store/watch/chainStates.ts';
import { findFault } from '../../store/watch/faults.ts';
import { findUnseenSince } from '../../store/watch/untraced.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';

type ShownFault = {
  works: boolean;
  message: string | null;
  count: number;
  firstAt: number | null;
  lastAt: number | null;
};

/** So long a detector that needs traces counts as one that missed something. */
const unseenMs = 24 * 3_600_000;
/** Transactions that are named. */
const maxNamed = 5;

/** State of a detector: success of its last evaluation, and whether it saw all inner calls. */
export async function readFault(call: Call, detectorId: number): Promise<ShownFault> {
  const { tenantId } = await findReadable(call, detectorTable, detectorId);
  const fault = await findFault(call.db, tenantId, 'detector', detectorId);
  if (fault) return { works: false, ...fault };
  const missed = await findMissed(call, tenantId, detectorId);
  return missed ?? { works: true, message: null, count: 0, firstAt: null, lastAt: null };
}

async function findMissed(call: Call, tenantId: number, id: number): Promise<ShownFault | undefined> {
  const { contract, createdAt, ...row } = await findDetectorToRun(call.db, tenantId, id);
  const subscriber = compileDetector(row, contract, toChainFacts(getChain(contract.chainUid)));
  if ('fault' in subscriber) return undefined;
  return (
    (wantsTraces(subscriber) ? await findUnseen(call, contract.chainUid, createdAt) : undefined) ??
    (subscriber.seesPending ? await findDropped(call, contract.chainUid) : undefined)
  );
}

async function findUnseen(call: Call, chainUid: string, createdAt: number): Promise<ShownFault | undefined> {
  const unseen = await findUnseenSince(call.db, chainUid, Math.max(call.now - unseenMs, createdAt));
  if (!unseen) return undefined;
  const { count, firstAt, lastAt, number, reason, transactions } = unseen;
  const hashes = transactions?.slice(0, maxNamed).join(', ');
  const more = (transactions?.length ?? 0) > maxNamed ? ' and others' : '';
  const where = hashes
    ? `transaction ${hashes}${more} of block ${number}`
    : `the transactions of block ${number}`;
  const message = `What contracts did within ${where} was not seen: ${reason}`;
  return { works: false, message, count, firstAt, lastAt };
}

/** A detector that judges pending transactions counts for so long as one that missed some. */
const droppedMs = 10 * 60_000;

async function findDropped(call: Call, chainUid: string): Promise<ShownFault | undefined> {
  const state = (await findChainStates(call.db)).get(chainUid);
  const { dropped = 0, droppedAt } = (state?.isFollowed ? state.pending : null) ?? {};
  if (!droppedAt || droppedAt < call.now - droppedMs) return undefined;
  const message = `Not all pending transactions were simulated, because there were too many: ${dropped} were left out so far. What such a transaction does is seen when a block has it.`;
  return { works: false, message, count: dropped, firstAt: null, lastAt: droppedAt };
}
