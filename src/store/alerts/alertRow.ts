import { giveWay } from '../../lib/giveWay.ts';
import { type Finding, severityOf } from '../../model/alert.ts';
import { addWords, analyze, lowerCase } from '../../query/analyzer.ts';
import { oddWords } from '../../query/plainWords.ts';
import { createTermHash, termHash } from '../../query/termHash.ts';

/** A finding as its row, with what makes it searchable; gives way where that takes long. */
export async function alertRow(finding: Finding, uid: string): Promise<Record<string, unknown>> {
  await giveWay();
  const { odd, terms } = await readTexts(finding);
  await giveWay();
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
    odd_words: odd,
    terms: [...terms],
  };
}

type Searchable = { terms: Set<number>; odd: Record<string, string> | null };

/** Hashes of everything that a query can look up, by the names of the columns in `alertTable`, and odd words by text. */
async function readTexts(finding: Finding): Promise<Searchable> {
  const { tenantId } = finding;
  const terms = wholeTerms(finding);
  const odd: [string, string][] = [];
  const read = async (column: string, texts: readonly (string | undefined)[]) => {
    const hash = createTermHash(tenantId, column);
    for (const text of texts) {
      if (text === undefined) continue;
      const words = text.length < largeText ? analyze(text) : await analyzeInPieces(text);
      for (let at = 0; at < words.length; at += wordsAtOnce) {
        for (const word of words.slice(at, at + wordsAtOnce)) terms.add(hash(word));
        if (words.length > wordsAtOnce) await giveWay();
      }
      if (text.length >= largeText) await giveWay();
      const oddText = oddWords(text, words);
      if (oddText !== undefined) odd.push([text, oddText]);
    }
  };
  await read('name', [finding.name]);
  await read('message', [finding.message]);
  await read('walletName', [finding.walletName]);
  await read('meta', textsOf(finding.meta));
  return { terms, odd: odd.length === 0 ? null : Object.fromEntries(odd) };
}

/** A shorter text takes less than a millisecond. */
const largeText = 20_000;
const wordsAtOnce = 10_000;

async function analyzeInPieces(text: string): Promise<string[]> {
  const words: string[] = [];
  for (let at = 0; at < text.length; ) {
    at = addWords(text, at, at + largeText, words);
    await giveWay();
  }
  return words;
}

function wholeTerms(finding: Finding): Set<number> {
  const hashes = new Set<number>();
  const whole = (column: string, value: string | null | undefined) => {
    if (value != null) hashes.add(termHash(finding.tenantId, column, value));
  };
  whole('eid', finding.eid);
  whole('severity', finding.severity);
  whole('chainUid', finding.chainUid);
  whole('walletChainUid', finding.walletChainUid);
  whole('blockHash', finding.blockHash && lowerCase(finding.blockHash));
  whole('txHash', finding.txHash && lowerCase(finding.txHash));
  whole('walletAddress', finding.walletAddress && lowerCase(finding.walletAddress));
  for (const tag of finding.tags) whole('tags', tag);
  return hashes;
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
