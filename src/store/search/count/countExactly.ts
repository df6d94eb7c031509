import { performance } from 'node:perf_hooks';
import { empty, raw, type Sql, sql } from '../../../lib/sql.ts';
import type { Db } from '../../db/db.ts';
import type { CompiledSearch } from '../compile/compileQuery.ts';
import type { DocumentScope, DocumentTable } from '../documents/documentTable.ts';
import { settledMs } from '../months/claimMonth.ts';
import { boundsOf, monthOf } from '../months/partitions.ts';
import { monthBase } from '../rollups/rollups.ts';
import { type CountPart, countInParts, countLimitMs } from './countInParts.ts';
import { countUpTo } from './countUpTo.ts';

/**
 * Counts all hits, without a limit. Counts of ended months are cached with the search if nothing but roll-ups can
 * change them (`monthCounts`): late and retracted alerts change these in the same transaction.
 */
export async function countExactly(
  db: Db,
  table: DocumentTable,
  { counted }: DocumentScope,
  { condition, monthCounts }: CompiledSearch,
  { limit, now }: { limit: number; now: number },
): Promise<number> {
  const count: CountPart = ({ from, beyond }, most) => {
    const end = beyond === undefined ? empty : sql` and t.timestamp < ${beyond}`;
    return countUpTo(db, table, sql`${condition} and t.timestamp >= ${from}${end}`, most);
  };
  const endsAt = performance.now() + countLimitMs;
  if (!counted || !monthCounts) return countInParts(count, { from: 0 }, { limit, now, endsAt });
  // Before anything is counted: what changes meanwhile makes the version an old one.
  const months = await db.repeated<{ month: string; version: string }>(monthVersions(counted));
  const { from: openFrom } = boundsOf(monthOf(now - settledMs));
  let total = await countInParts(count, { from: openFrom }, { limit, now, endsAt });
  for (const { month, version } of months) {
    const { from, to } = boundsOf(month);
    if (total >= limit) break;
    if (to > openFrom) continue;
    const cached = monthCounts.get(month);
    const left = limit - total;
    const counts =
      cached?.version === version
        ? cached.count
        : await countInParts(count, { from, beyond: to }, { limit: left, now, endsAt });
    if (counts < left) monthCounts.set(month, { version, count: counts });
    total += counts;
  }
  return Math.min(total, limit);
}

/** Months with alerts, the newest first. Every change gives a row of the roll-ups the number of its transaction. */
function monthVersions({ tenantId, contractId }: NonNullable<DocumentScope['counted']>): Sql {
  const day = raw(`to_timestamp(day % ${monthBase} * 86400.0) at time zone 'UTC'`);
  return sql`select to_char(${day}, 'YYYY_MM') as month,
      concat_ws(' ', pg_postmaster_start_time(), count(*), sum(hashtextextended(xmin::text, day))) as version
    from alert_rollup where tenant_id = ${tenantId} and contract_id = ${contractId} group by 1 order by 1 desc`;
}
