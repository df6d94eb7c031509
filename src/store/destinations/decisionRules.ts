import type { DestinationType } from '../../destinations/destinationKinds.ts';
import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { isReachable } from '../tables/kindConditions.ts';

/** `version`: of everything by which the notifications of a tenant are decided. */
export type DecisionRules = {
  version: number;
  /** The destinations that can be reached and their kinds, where the tenant has routes on. */
  destinations: ReadonlyMap<number, DestinationType> | undefined;
};

/** Of each tenant that has anything of the kind; the others are missing. */
export async function findDecisionRules(
  tx: Db,
  tenantIds: readonly number[],
): Promise<ReadonlyMap<number, DecisionRules>> {
  const rows = await tx.prepared<{
    tenantId: number;
    version: number;
    destinations: [number, DestinationType][] | null;
  }>(
    sql`select r.tenant_id as "tenantId", r.version,
        case when exists (select from route
            where route.tenant_id = r.tenant_id and route.parent_id is null and route.status = 'ACTIVE')
          then (select coalesce(json_agg(json_build_array(x.id, x.type)), '[]') from destination x
            where x.tenant_id = r.tenant_id and ${isReachable}) end as destinations
      from decision_rules r where r.tenant_id = any(${tenantIds}::bigint[])`,
  );
  return new Map(
    rows.map(({ tenantId, version, destinations }) => [
      tenantId,
      { version, destinations: destinations ? new Map(destinations) : undefined },
    ]),
  );
}

export type NamedDestination = { id: number; type: DestinationType; name: string | null };

/** The destinations of a tenant that can be reached. */
export async function findReachable(
  db: Db,
  tenantId: number,
): Promise<ReadonlyMap<number, NamedDestination>> {
  const rows = await db.prepared<NamedDestination>(
    sql`select x.id, x.type, x.name from destination x where x.tenant_id = ${tenantId} and ${isReachable}`,
  );
  return new Map(rows.map((destination) => [destination.id, destination]));
}
