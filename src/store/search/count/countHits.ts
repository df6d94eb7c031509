import type { Db } from '../../db/db.ts';
import type { CompiledSearch } from '../compile/compileQuery.ts';
import type { DocumentScope, DocumentTable } from '../documents/documentTable.ts';
import { countExactly } from './countExactly.ts';
import { countUpTo } from './countUpTo.ts';

/** Up to which hits are counted unless the caller says; more may take longer to count than a statement may. */
export const defaultTotal = 10_000;

/** Counting ends once part of the hits reach the limit. */
export async function countHits(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  compiled: CompiledSearch,
  { limit, now }: { limit: number; now: number },
): Promise<number> {
  const { condition, common, statements } = compiled;
  // A search without statements was rechecked row by row and is a list of documents.
  if (limit > defaultTotal && statements) return countExactly(db, table, scope, compiled, { limit, now });
  if (common && (await countUpTo(db, table, common, limit)) === limit) return limit;
  return countUpTo(db, table, condition, limit);
}
