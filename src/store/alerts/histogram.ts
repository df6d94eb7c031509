import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { type AlertGroup, alertGroups, type Severity, severityOf } from '../../model/alert.ts';
import type { Db } from '../db.ts';

export type GroupCount = { bucket: number; group: AlertGroup; count: number; maxSeverity: number };

/** Per bucket, the groups that have alerts in it. */
export async function countByGroup(db: Db, counts: Sql): Promise<GroupCount[]> {
  return db.query<GroupCount>(
    sql`select bucket, alert_group as "group", sum(count)::bigint as count, max(numeric_severity) as "maxSeverity"
      from (${counts}) c group by bucket, alert_group order by bucket, alert_group`,
  );
}

export type BucketCount = { bucket: number } & Record<AlertGroup | Severity, number>;

/** Per bucket that has alerts, how many there are of each group and of each severity. */
export async function countByBucket(db: Db, counts: Sql): Promise<BucketCount[]> {
  const groups = alertGroups.map((group) => sumWhere(sql`alert_group = ${group}`, group));
  const severities = Object.entries(severityOf).map(([name, number]) =>
    sumWhere(sql`numeric_severity = ${number}`, name),
  );
  return db.query<BucketCount>(
    sql`select bucket, ${join([...groups, ...severities], ', ')} from (${counts}) c group by bucket order by bucket`,
  );
}

function sumWhere(condition: Sql, name: string): Sql {
  return sql`coalesce(sum(count) filter (where ${condition}), 0)::bigint as ${raw(`"${name}"`)}`;
}
