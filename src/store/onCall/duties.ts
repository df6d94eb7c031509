import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** A record that a schedule, a chain or a route may name. */
export type DutyOf =
  | { userId: number }
  | { scheduleId: number }
  | { destinationId: number }
  | { escalationChainId: number };

/** The schedules and chains of a tenant that name a record; at most a few, for people. */
export async function findDuties(
  db: Db,
  tenantId: number,
  of: DutyOf,
): Promise<{ kind: 'schedule' | 'chain' | 'route'; name: string }[]> {
  const user = 'userId' in of ? of.userId : null;
  const schedule = 'scheduleId' in of ? of.scheduleId : null;
  const destination = 'destinationId' in of ? of.destinationId : null;
  const chain = 'escalationChainId' in of ? of.escalationChainId : null;
  return db.query<{ kind: 'schedule' | 'chain' | 'route'; name: string }>(
    sql`select 'schedule' as kind, s.name from duty_schedule s
        where s.tenant_id = ${tenantId} and s.status <> 'DELETED' and ${user}::bigint = any(s.user_ids)
      union all
      select 'chain', c.name from escalation_chain c
        where c.tenant_id = ${tenantId} and c.status <> 'DELETED'
          and (${user}::bigint = any(c.user_ids) or ${schedule}::bigint = any(c.schedule_ids)
            or ${destination}::bigint = any(c.destination_ids))
      union all
      select 'route', r.name from route r
        where r.tenant_id = ${tenantId} and r.status <> 'DELETED' and r.escalation_chain_id = ${chain}::bigint
      order by 1, 2 limit 5`,
  );
}
