import { getChain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { compileDetector } from '../../matching/compileDetector.ts';
import { wantsTraces } from '../../matching/subscriptions.ts';
import { detectorTable } from '../../store/tables/detectorTable.ts';
import { findDetectorToRun } from '../../store/watch/backtests.ts';
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
  if ('fault' in subscriber || !wantsTraces(subscriber)) return undefined;
  const unseen = await findUnseenSince(call.db, contract.chainUid, Math.max(call.now - unseenMs, createdAt));
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
