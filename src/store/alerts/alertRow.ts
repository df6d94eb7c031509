import { type Finding, severityOf } from '../../model/alert.ts';
import { analyze, lowerCase } from '../../query/analyzer.ts';
import { oddWords } from '../../query/plainWords.ts';
import { createTermHash, termHash } from '../../query/termHash.ts';

/** A finding as its row, with what makes it searchable. */
export function alertRow(finding: Finding, uid: string): Record<string, unknown> {
  const texts = [finding.name, finding.message, finding.walletName, ...textsOf(finding.meta)].filter(
    (text) => text !== undefined,
  );
  return {
    tenant_id: finding.tenantId,
    timestamp: finding.timestamp,
    contract_id: finding.contractId,
    project_id: finding.projectId,
    uid,
    detector_id: finding.detectorId,
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
    eid: finding.eid,
    tx_hash: finding.txHash,
    chain_uid: finding.chainUid,
    block_hash: finding.blockHash,
    interceptor_type: finding.interceptorType,
    trigger_type: finding.triggerType,
    wallet_name: finding.walletName,
    wallet_chain_uid: finding.walletChainUid,
    wallet_address: finding.walletAddress,
    tags: finding.tags,
    meta: finding.meta,
    odd_words: oddTexts(texts),
    terms: alertTerms(finding),
  };
}

/** Hashes of everything that a query can look up; the column names here are those of `alertSource`. */
function alertTerms(finding: Finding): number[] {
  const hashes = new Set<number>();
  const whole = (column: string, value: string | null | undefined) => {
    if (value != null) hashes.add(termHash(finding.tenantId, column, value));
  };
  const words = (column: string, text: string | undefined) => {
    if (text === undefined) return;
    const hash = createTermHash(finding.tenantId, column);
    for (const word of analyze(text)) hashes.add(hash(word));
  };
  whole('eid', finding.eid);
  whole('severity', finding.severity);
  whole('chainUid', finding.chainUid);
  whole('walletChainUid', finding.walletChainUid);
  whole('blockHash', finding.blockHash && lowerCase(finding.blockHash));
  whole('txHash', finding.txHash && lowerCase(finding.txHash));
  whole('walletAddress', finding.walletAddress && lowerCase(finding.walletAddress));
  for (const tag of finding.tags) whole('tags', tag);
  words('name', finding.name);
  words('message', finding.message);
  words('walletName', finding.walletName);
  for (const text of textsOf(finding.meta)) words('meta', text);
  return [...hashes];
}

/** Every string below a JSON value. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** The words of those texts that PostgreSQL would cut wrongly, by text; null for the many rows without one. */
export function oddTexts(texts: readonly string[]): Record<string, string> | null {
  const odd = texts.flatMap((text): [string, string][] => {
    const words = oddWords(text);
    return words === undefined ? [] : [[text, words]];
  });
  return odd.length === 0 ? null : Object.fromEntries(odd);
}
