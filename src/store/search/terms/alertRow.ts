import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { type Finding, severityOf } from '../../../model/alert.ts';
import { termHash } from '../../../query/termHash.ts';
import type { AlertRow } from '../documents/alertColumns.ts';
import { packHashes } from '../documents/packedHashes.ts';
import { findingTerms } from './findingTerms.ts';

/** A finding as its row, with its search terms; yields to the event loop where that takes long. */
export async function alertRow(finding: Finding, uid: string, incidentUid?: string): Promise<AlertRow> {
  await yieldToEventLoop();
  const { odd, terms } = await findingTerms(finding);
  const incidentTerms =
    incidentUid && incidentUid !== uid ? [termHash(finding.tenantId, 'incidentUid', incidentUid)] : [];
  await yieldToEventLoop();
  return {
    tenant_id: finding.tenantId,
    timestamp: finding.timestamp,
    contract_id: finding.contractId,
    project_id: finding.projectId,
    uid,
    incident_uid: incidentUid === uid ? undefined : incidentUid,
    incident_at: incidentUid === uid ? Date.now() : undefined,
    detector_id: finding.detectorId,
    detector_schema_name: finding.detectorSchemaName,
    trigger_id: finding.triggerId,
    action_id: finding.actionId,
    wallet_id: finding.walletId,
    block_number: finding.blockNumber,
    numeric_severity: severityOf[finding.severity],
    is_resolved: false,
    suppressed: finding.suppressed ?? false,
    backfilled: finding.backfilled ?? false,
    kind: finding.kind,
    alert_group: finding.group,
    name: finding.name,
    message: finding.message,
    ...packHashes(finding),
    chain_uid: finding.chainUid,
    is_pending: finding.isPending,
    interceptor_type: finding.interceptorType,
    trigger_type: finding.triggerType,
    wallet_name: finding.walletName,
    wallet_chain_uid: finding.walletChainUid,
    wallet_address: finding.walletAddress,
    tags: finding.tags,
    meta: finding.meta,
    odd_words: odd,
    terms: [...terms, ...incidentTerms],
  };
}
