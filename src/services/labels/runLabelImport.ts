import type { ChainUid } from '../../chains/chains.ts';
import { lockQuantities } from '../../store/accounts/plans.ts';
import { dryRun } from '../../store/db/dryRun.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { checkPlanLimit } from '../records/checkPlanLimit.ts';
import { ownerOf } from '../records/findOwners.ts';
import { importLabels } from './importLabels.ts';
import { toLabelTags } from './labelMembers.ts';
import { importSanctions } from './sanctions/importSanctions.ts';
import type { SanctionsFile } from './sanctions/readSanctions.ts';

/** Of a text that someone else's processor reads. */
const maxFaults = 10_000;

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
  const options = { tenantId, defaults, isPartial, maxFaults, now: call.now };
  const result = await importLabels(call.db, options, [csv]);
  // Only now is it known how many of them are new; beyond the limit none is kept.
  if (tenantId !== null && result.created > 0) await checkPlanLimit(call, tenantId, 'maxLabels', 0);
  const { faults: _faults, ...counts } = result;
  await audit(call, 'label', 'import', { id: null, tenantId }, undefined, undefined, {
    ...defaults,
    ...counts,
  });
  return result;
}

export type SanctionsRequest = {
  tenantId?: number;
  source?: string;
  partial?: 'true' | 'false';
  dryRun?: 'true' | 'false';
};

/** Replaces the labels of a sanctions list by those of a file; a dry run only counts. */
export async function runSanctionsImport(call: Call, request: SanctionsRequest, file: SanctionsFile) {
  const { source, partial, dryRun: isDryRun } = request;
  const tenantId = await ownerOf(call, { owner: 'anyone' }, request);
  if (tenantId !== null) await lockQuantities(call.db, tenantId);
  const write = async () => {
    const options = { tenantId, source, isPartial: partial === 'true', now: call.now };
    const result = await importSanctions(call.db, options, file);
    if (tenantId !== null && result.created > 0) await checkPlanLimit(call, tenantId, 'maxLabels', 0);
    return result;
  };
  if (isDryRun === 'true') return dryRun(call.db, write);
  const result = await write();
  const { faults: _faults, ...counts } = result;
  await audit(call, 'label', 'import', { id: null, tenantId }, undefined, undefined, counts);
  return result;
}
