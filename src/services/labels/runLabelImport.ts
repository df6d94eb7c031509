import type { ChainUid } from '../../chains/chains.ts';
import { lockQuantities } from '../../store/accounts/plans.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { checkPlanLimit } from '../records/checkPlanLimit.ts';
import { ownerOf } from '../records/createRecord.ts';
import { importLabels } from './importLabels.ts';
import { toLabelTags } from './labelMembers.ts';

export type ImportRequest = {
  csv: string;
  tenantId?: number;
  chainUid?: ChainUid;
  tags?: string[];
  source?: string;
};

/** Imports for the tenant that the caller may write for, or for the platform; the whole import is one audit entry. */
export async function runLabelImport(call: Call, request: ImportRequest, isPartial: boolean) {
  const { csv, chainUid = null, tags = [], source = null } = request;
  const tenantId = await ownerOf(call, { owner: 'anyone' }, request);
  const defaults = { chainUid, tags: toLabelTags(tags), source };
  if (tenantId !== null) await lockQuantities(call.db, tenantId);
  const result = await importLabels(call.db, { tenantId, defaults, isPartial, now: call.now }, piecesOf(csv));
  // Only now is it known how many of them are new; beyond the limit none is kept.
  if (tenantId !== null && result.created > 0) await checkPlanLimit(call, tenantId, 'maxLabels', 0);
  const { faults: _faults, ...counts } = result;
  await audit(call, 'label', 'import', { id: null, tenantId }, undefined, undefined, {
    ...defaults,
    ...counts,
  });
  return result;
}

const pieceSize = 256 * 1024;

/** Read bit by bit, a long text lets other requests through between its batches. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += pieceSize) yield text.slice(at, at + pieceSize);
}
