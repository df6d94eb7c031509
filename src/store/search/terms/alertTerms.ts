import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import type { Finding } from '../../../model/alert.ts';
import { lowerCase } from '../../../query/analyzer.ts';
import { createCoarseHashes, createExactHashes, isCoarse } from '../../../query/coarseHashes.ts';
import { addMemberTerms } from '../../../query/memberTerms.ts';
import { tagTerms } from '../../../query/tagTerms.ts';
import type { NoteWords } from './alertWords.ts';
import { type IndexedTexts, indexTexts, textsOf } from './indexTexts.ts';

/** Members of an alert that terms are made of; `incidentUid` only if another alert began its incident. */
export type TermSource = Nullable<Omit<Finding, keyof Required>> & Required & { incidentUid?: string | null };
type Required = Pick<
  Finding,
  'tenantId' | 'projectId' | 'severity' | 'eid' | 'name' | 'message' | 'tags' | 'meta'
>;
type Nullable<T> = { [member in keyof T]?: T[member] | null };

/**
 * Version of the terms of an alert. It rises with every change: searches rely on new terms only after `reindexAlerts`
 * has given them to all alerts.
 */
export const termVersion = 5;

/** Of 32,768: an alert with as many is a candidate of one in four thousand searches for a value that it does not have. */
const maxCoarse = 500;

/** The hashes under which searches find an alert, and the words that PostgreSQL would split wrongly; notes all its words. */
export async function alertTerms(alert: TermSource, noteWords?: NoteWords): Promise<IndexedTexts> {
  const terms = await collectTerms(alert, createCoarseHashes, noteWords);
  let coarse = 0;
  for (const hash of terms.terms) if (isCoarse(hash)) coarse++;
  return coarse > maxCoarse ? collectTerms(alert, createExactHashes) : terms;
}

async function collectTerms(
  alert: TermSource,
  createHashes: typeof createCoarseHashes,
  noteWords?: NoteWords,
): Promise<IndexedTexts> {
  const { tenantId, meta } = alert;
  const texts = {
    name: [alert.name],
    message: [alert.message],
    walletName: [alert.walletName ?? undefined],
    meta: textsOf(meta),
  };
  const { odd, terms } = await indexTexts(tenantId, texts, createHashes, noteWords);
  await yieldToEventLoop();
  const add = (field: string, term: string) => {
    for (const hash of createHashes(tenantId, field)(term)) terms.add(hash);
  };
  addMemberTerms('meta', meta, add);
  const addWhole = (column: string, value: string) => {
    add(column, value);
    noteWords?.(column)?.(value);
  };
  for (const column of wholeColumns) {
    const value = alert[column];
    if (value != null) addWhole(column, String(value));
  }
  for (const column of foldedColumns) {
    const value = alert[column];
    if (value != null) addWhole(column, lowerCase(value));
  }
  for (const tag of alert.tags) {
    for (const term of tagTerms(tag)) add('tags', term);
    noteWords?.('tags')?.(tag);
  }
  for (const flag of ['suppressed', 'backfilled'] as const)
    if (alert[flag]) for (const hash of flagTerms(tenantId, flag)) terms.add(hash);
  return { odd, terms };
}

/** Almost no alert has a flag, so that the others need no term. */
export function flagTerms(tenantId: number, flag: 'suppressed' | 'backfilled'): Iterable<number> {
  return createCoarseHashes(tenantId, flag)('true');
}

/** Values that are looked up as a whole. */
const wholeColumns = [
  'projectId',
  'detectorId',
  'triggerId',
  'actionId',
  'walletId',
  'eid',
  'incidentUid',
  'detectorSchemaName',
  'severity',
  'chainUid',
  'walletChainUid',
] as const;
const foldedColumns = ['blockHash', 'txHash', 'walletAddress'] as const;
