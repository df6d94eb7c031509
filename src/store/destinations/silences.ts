import { sql } from '../../lib/sql.ts';
import type { TimeSetInput } from '../../query/timeSets/timeSet.ts';
import type { Db } from '../db/db.ts';

/** A silence that has not ended, with the time set that it names. */
export type OpenSilence = {
  id: number;
  query: string;
  from: number;
  to: number;
  includeCritical: boolean;
  timeSet: TimeSetInput | null;
};

/**
 * The silences of a tenant that end later than `now`, the oldest first. One that began when it was made holds wherever it is seen,
 * because the clocks of servers differ.
 */
export async function findOpenSilences(tx: Db, tenantId: number, now: number): Promise<OpenSilence[]> {
  return tx.prepared<OpenSilence>(
    sql`select s.id, s.query, case when s.starts_at > s.created_at then s.starts_at else 0 end as "from",
        s.ends_at as "to", s.include_critical as "includeCritical",
        case when w.id is not null then json_build_object('zone', w.zone, 'ranges', w.ranges) end as "timeSet"
      from silence s left join time_set w on w.tenant_id = s.tenant_id and w.id = s.time_set_id
      where s.tenant_id = ${tenantId} and s.ends_at > ${now} and s.status <> 'DELETED' order by s.id`,
  );
}

/** The estimated cost of the queries of all silences of a tenant that have not ended, except one. */
export async function sumSilenceCost(
  tx: Db,
  tenantId: number,
  exceptId: number | undefined,
  now: number,
): Promise<number> {
  const rows = await tx.prepared<{ cost: number }>(
    sql`select coalesce(sum(cost), 0)::bigint as cost from silence
      where tenant_id = ${tenantId} and ends_at > ${now} and status <> 'DELETED' and id <> ${exceptId ?? 0}`,
  );
  return rows[0]?.cost ?? 0;
}

export type NamedSilence = { id: number; reason: string; author: string; from: number; to: number };

export async function findSilencesById(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<NamedSilence[]> {
  return db.prepared<NamedSilence>(
    sql`select id, reason, author, starts_at as "from", ends_at as "to" from silence
      where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) order by id`,
  );
}
