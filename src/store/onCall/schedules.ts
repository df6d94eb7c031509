import { sql } from '../../lib/sql.ts';
import type { ScheduleInput } from '../../query/onCall/schedule.ts';
import type { Db } from '../db/db.ts';

export type StoredSchedule = ScheduleInput & { id: number; tenantId: number; name: string };

const columns = sql`s.id, s.tenant_id as "tenantId", s.name, s.zone, s.layers, s.overrides`;

export async function findSchedules(
  db: Db,
  keys: readonly { tenantId: number; id: number }[],
): Promise<StoredSchedule[]> {
  if (keys.length === 0) return [];
  return db.prepared<StoredSchedule>(
    sql`select ${columns} from unnest(${keys.map(({ tenantId }) => tenantId)}::bigint[],
        ${keys.map(({ id }) => id)}::bigint[]) k(tenant_id, id)
      join duty_schedule s on s.tenant_id = k.tenant_id and s.id = k.id and s.status = 'ACTIVE'`,
  );
}

/** The schedule behind the address of a calendar, of a tenant that is active. */
export async function findCalendar(db: Db, hash: Buffer): Promise<StoredSchedule | undefined> {
  const rows = await db.prepared<StoredSchedule>(
    sql`select ${columns} from duty_schedule s join tenant n on n.id = s.tenant_id and n.status = 'ACTIVE'
      where s.calendar_hash = ${hash} and s.status = 'ACTIVE'`,
  );
  return rows[0];
}

/** Null ends the address. */
export async function setCalendarHash(
  tx: Db,
  { tenantId, id }: { tenantId: number; id: number },
  hash: Buffer | null,
): Promise<void> {
  await tx.query(
    sql`update duty_schedule set calendar_hash = ${hash} where tenant_id = ${tenantId} and id = ${id}`,
  );
}
