import { sql } from '../../lib/sql.ts';
import type { Severity } from '../../model/alert.ts';
import type { TimeSetInput } from '../../query/timeSets/timeSet.ts';
import type { Db } from '../db/db.ts';
import type { routeGroups } from '../tables/routeTable.ts';

/** A route as it is stored, with the time sets that it names. */
export type StoredRoute = {
  id: number;
  parentId: number | null;
  name: string;
  query: string | null;
  goesOn: boolean;
  groupBy: (typeof routeGroups)[number];
  waitSeconds: number;
  intervalSeconds: number | null;
  repeatSeconds: number | null;
  minSeverity: Severity | null;
  destinationIds: number[];
  escalationChainId: number | null;
  activeTimeSet: TimeSetInput | null;
  muteTimeSet: TimeSetInput | null;
};

/**
 * The routes of a tenant that take alerts, siblings in their order: none while its root is not ACTIVE, unless drafts are asked for.
 * What stands below a route that is not ACTIVE may be among them.
 */
export async function findRoutes(db: Db, tenantId: number, withDraft = false): Promise<StoredRoute[]> {
  return db.prepared<StoredRoute>(
    sql`select r.id, r.parent_id as "parentId", r.name, r.query, r.goes_on as "goesOn", r.group_by as "groupBy",
        r.wait_seconds as "waitSeconds", r.interval_seconds as "intervalSeconds", r.repeat_seconds as "repeatSeconds",
        r.min_severity as "minSeverity", r.destination_ids as "destinationIds",
        r.escalation_chain_id as "escalationChainId",
        (select json_build_object('zone', w.zone, 'ranges', w.ranges) from time_set w
          where w.tenant_id = r.tenant_id and w.id = r.active_time_set_id) as "activeTimeSet",
        (select json_build_object('zone', w.zone, 'ranges', w.ranges) from time_set w
          where w.tenant_id = r.tenant_id and w.id = r.mute_time_set_id) as "muteTimeSet"
      from route r where r.tenant_id = ${tenantId} and r.status <> 'DELETED'
        and (r.status = 'ACTIVE' or (${withDraft} and r.parent_id is null))
        and exists (select from route where route.tenant_id = r.tenant_id and route.parent_id is null
          and (route.status = 'ACTIVE' or (${withDraft} and route.status = 'DISABLED')))
      order by r.position, r.id`,
  );
}

export type PlacedRoute = { id: number; parentId: number | null; order: number; cost: number };

/** All routes of a tenant that are not deleted, after those who change the tree at the same time. */
export async function lockTree(tx: Db, tenantId: number): Promise<PlacedRoute[]> {
  await tx.prepared(sql`select pg_advisory_xact_lock(hashtextextended('routes of a tenant', ${tenantId}))`);
  return tx.prepared<PlacedRoute>(
    sql`select id, parent_id as "parentId", position as "order", cost from route
      where tenant_id = ${tenantId} and status <> 'DELETED' order by id`,
  );
}

/** The names of routes, those of deleted ones too. */
export async function findRouteNames(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db.prepared<{ id: number; name: string }>(
    sql`select id, name from route where tenant_id = ${tenantId} and id = any(${ids}::bigint[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
