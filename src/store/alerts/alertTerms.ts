import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import type { Finding } from '../../model/alert.ts';
import { lowerCase } from '../../query/analyzer.ts';
import { beginningTerm } from '../../query/beginningTerm.ts';
import { addMemberTerms } from '../../query/memberTerms.ts';
import { createTermHash, termHash } from '../../query/termHash.ts';
import type { NoteWords } from './alertWords.ts';
import { type IndexedTexts, indexTexts, textsOf } from './indexTexts.ts';

/** What the terms of an alert are made of. */
export type TermSource = Nullable<Omit<Finding, keyof Required>> & Required & { incidentUid?: string | null };
type Required = Pick<
  Finding,
  'tenantId' | 'projectId' | 'severity' | 'eid' | 'name' | 'message' | 'tags' | 'meta'
>;
type Nullable<T> = { [member in keyof T]?: T[member] | null };

/**
 * Which terms this version gives an alert. Greater with every change: searches rely on new terms only after
 * `reindexAlerts` has given them to all alerts.
 */
export const termVersion = 3;

/** The hashes under which searches find an alert, and the words that PostgreSQL would split wrongly; notes all its words. */
export async function alertTerms(alert: TermSource, noteWords?: NoteWords): Promise<IndexedTexts> {
  const { tenantId, meta } = alert;
  const texts = {
    name: [alert.name],
    message: [alert.message],
    walletName: [alert.walletName ?? undefined],
    meta: textsOf(meta),
  };
  const { odd, terms } = await indexTexts(tenantId, texts, noteWords);
  await yieldToEventLoop();
  const hashes = new Map<string, (term: string) => number>();
  addMemberTerms('meta', meta, (field, term) => {
    let hash = hashes.get(field);
    if (!hash) {
      hash = createTermHash(tenantId, field);
      hashes.set(field, hash);
    }
    terms.add(hash(term));
  });
  for (const [column, value] of wholeValues(alert)) {
    if (value == null) continue;
    terms.add(termHash(tenantId, column, String(value)));
    noteWords?.(column)?.(String(value));
    const beginning = beginningTerm(String(value));
    if (beginning !== undefined) terms.add(termHash(tenantId, column, beginning));
  }
  return { odd, terms };
}

/** Values that are looked up as a whole. */
function wholeValues(alert: TermSource): [string, string | number | null | undefined][] {
  return [
    ['projectId', alert.projectId],
    ['detectorId', alert.detectorId],
    ['triggerId', alert.triggerId],
    ['actionId', alert.actionId],
    ['walletId', alert.walletId],
    ['eid', alert.eid],
    ['incidentUid', alert.incidentUid],
    ['detectorSchemaName', alert.detectorSchemaName],
    ['severity', alert.severity],
    ['chainUid', alert.chainUid],
    ['walletChainUid', alert.walletChainUid],
    ['blockHash', alert.blockHash && lowerCase(alert.blockHash)],
    ['txHash', alert.txHash && lowerCase(alert.txHash)],
    ['walletAddress', alert.walletAddress && lowerCase(alert.walletAddress)],
    // Almost no alert is, so that the others need no term.
    ['suppressed', alert.suppressed ? 'true' : undefined],
    ['backfilled', alert.backfilled ? 'true' : undefined],
    ...alert.tags.map((tag): [string, string] => ['tags', tag]),
  ];
}
