import { type Sql, sql } from '../../lib/sql.ts';
import { tagTerms } from '../../query/tagTerms.ts';
import { createTermHash } from '../../query/termHash.ts';
import type { Db } from '../db/db.ts';
import { addTagWords } from '../search/terms/alertWords.ts';
import { insertAlertEvents } from './alertEvents.ts';
import { type AlertKey, resolveAlerts } from './alertRecords.ts';

/** A change of many alerts at once. */
export type ManyChange =
  | { type: 'resolve'; isResolved: boolean }
  | { type: 'tag'; add: readonly string[]; remove: readonly string[] }
  | { type: 'assign'; assigneeId: number | null };

/** An alert has no more tags than a request can set; one that would is left as it is. */
const maxTags = 100;

/** A change may take longer than the searches in whose pool it runs, and wait for locks. */
export async function allowChanges(tx: Db): Promise<void> {
  await tx.query(sql`set local statement_timeout = '15s'`);
}

/** The alerts that match the condition and that the change would alter, at most `limit`, the oldest first. */
export async function findChangeable(
  db: Db,
  condition: Sql,
  change: ManyChange,
  limit: number,
): Promise<AlertKey[]> {
  return db.query<AlertKey>(
    sql`select t.tenant_id as "tenantId", t.timestamp, t.uid::text from alert t
      where ${condition} and t.retracted_at is null and ${differs(change)}
      order by t.tenant_id, t.timestamp, t.uid limit ${limit}`,
  );
}

/** Changes those of the alerts that still differ, with their stream events; all are of one tenant. Returns how many changed. */
export async function changeMany(
  tx: Db,
  tenantId: number,
  keys: readonly AlertKey[],
  change: ManyChange,
  now: number,
): Promise<number> {
  const condition = isOneOf(tenantId, keys);
  if (change.type === 'resolve') return resolveAlerts(tx, condition, change.isResolved, now);
  if (change.type === 'tag') await addTagWords(tx, keys, change.add);
  const changed = await tx.query<{ tenantId: number; uid: string }>(
    sql`update alert t set ${assignment(tenantId, change)}
      where ${condition} and t.retracted_at is null and ${differs(change)}
      returning t.tenant_id as "tenantId", t.uid::text`,
  );
  await insertAlertEvents(tx, 'changed', changed);
  return changed.length;
}

/** The bounds let the planner skip the partitions without any of the alerts. */
function isOneOf(tenantId: number, keys: readonly AlertKey[]): Sql {
  const times = keys.map(({ timestamp }) => timestamp);
  return sql`t.tenant_id = ${tenantId} and t.timestamp between ${Math.min(...times)} and ${Math.max(...times)}
    and (t.timestamp, t.uid) in (select k.timestamp, k.uid
      from unnest(${times}::bigint[], ${keys.map(({ uid }) => uid)}::uuid[]) k(timestamp, uid))`;
}

function differs(change: ManyChange): Sql {
  switch (change.type) {
    case 'resolve':
      return sql`t.is_resolved <> ${change.isResolved}`;
    case 'assign':
      return sql`t.assignee_id is distinct from ${change.assigneeId}::bigint`;
    case 'tag':
      return sql`(not t.tags @> ${change.add}::text[] or t.tags && ${change.remove}::text[])
        and cardinality(${changedTags(change)}) <= ${maxTags}`;
  }
}

type TagChange = Extract<ManyChange, { type: 'tag' }>;

/** Remaining tags keep their order; new tags follow. */
function changedTags({ add, remove }: TagChange): Sql {
  return sql`(array(select had.tag from unnest(t.tags) with ordinality had(tag, n)
      where not had.tag = any(${remove}::text[]) order by had.n)
    || array(select new.tag from unnest(${add}::text[]) with ordinality new(tag, n)
      where not new.tag = any(t.tags) order by new.n))`;
}

function assignment(tenantId: number, change: Exclude<ManyChange, { type: 'resolve' }>): Sql {
  if (change.type === 'assign') return sql`assignee_id = ${change.assigneeId}::bigint`;
  const hash = createTermHash(tenantId, 'tags');
  // Only the hash of a tag that the alert had may go: another one could stand for something else.
  return sql`tags = ${changedTags(change)},
    terms = array(select unnest(t.terms) except
        select gone.term from unnest(${change.remove}::text[], ${change.remove.map(hash)}::int4[]) gone(tag, term)
        where gone.tag = any(t.tags)
      union select unnest(${change.add.flatMap((tag) => tagTerms(tag).map(hash))}::int4[]))`;
}
