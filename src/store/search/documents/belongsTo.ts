import { type Sql, sql } from '../../../lib/sql.ts';
import { incidentUidSql } from './incidentUidSql.ts';

/** An incident, and when its first and last alert happened. */
export type IncidentSpan = { tenantId: number; uid: string; firstAt: number; lastAt: number };

/** A condition on alerts as `t`. The bounds keep it to the partitions and the part of the index that can have any. */
export function belongsTo({ tenantId, uid, firstAt, lastAt }: IncidentSpan): Sql {
  return sql`t.tenant_id = ${tenantId} and t.timestamp between ${firstAt} and ${lastAt}
    and ${incidentUidSql} = ${uid}::uuid`;
}
