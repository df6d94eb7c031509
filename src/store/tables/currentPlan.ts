import { type Sql, sql } from '../../lib/sql.ts';

/** The plan of the newest running subscription, else the free plan; a from clause, in which the plan is `p`. */
export function currentPlan(tenantId: Sql, now: number): Sql {
  return sql`plan p where p.id = coalesce(
      (select s.plan_id from subscription s where s.tenant_id = ${tenantId} and s.status = 'ACTIVE'
        and s.start_date <= ${now}::bigint and s.expiration_date > ${now}::bigint
        order by s.start_date desc, s.id desc limit 1),
      (select p.id from plan p where p.is_free))`;
}
