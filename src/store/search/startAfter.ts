import { type Sql, sql } from '../../lib/sql.ts';
import { uidTime } from '../../lib/uid.ts';
import { invalid } from '../../model/errors.ts';
import { isNewestFirst, type SortItem } from './documents/documentSort.ts';
import type { DocumentScope } from './documents/documentTable.ts';

/**
 * The documents of a scope that come after the one with the uid `cursor`, which need not exist any more. New documents
 * move pages by number, but not these.
 */
export function startAfter(
  scope: DocumentScope,
  cursor: string,
  { from = 0, sort }: { from?: number; sort?: readonly SortItem[] },
): DocumentScope {
  const time = uidTime(cursor);
  if (time === undefined)
    throw invalid(
      '/cursor',
      'not-a-uid',
      'is not the `uid` of a record; send that of the last one you have.',
    );
  if (from !== 0)
    throw invalid(
      '/cursor',
      'contradiction',
      'names where the page begins, so `from` must be 0 or left out.',
    );
  const after = (condition: Sql) => sql`(${condition} and ${afterInTime(cursor, time, sort)})`;
  const { condition, ordered, tenantIds, foreign } = scope;
  return {
    condition: after(condition),
    tenantIds,
    ...(ordered ? { ordered: after(ordered) } : {}),
    ...(foreign ? { foreign } : {}),
  };
}

/** Records of one time are in the order of their uids, whichever end of time comes first. */
function afterInTime(uid: string, time: number, sort: readonly SortItem[] | undefined): Sql {
  if (isNewestFirst(sort))
    return sql`t.timestamp <= ${time} and (t.timestamp < ${time} or t.uid > ${uid}::uuid)`;
  const [first, second] = sort ?? [];
  if (first?.field === 'timestamp' && !second)
    return sql`t.timestamp >= ${time} and (t.timestamp > ${time} or t.uid > ${uid}::uuid)`;
  throw invalid('/cursor', 'other-order', 'goes with records in the order of `timestamp`; use `from` here.');
}
