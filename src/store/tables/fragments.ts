import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';

/** The database's clock, by which several processes agree. */
export const nowMs = raw('floor(extract(epoch from clock_timestamp()) * 1000)::bigint');

// A scope is looked up as arrays: PostgreSQL then combines indexes where rules are joined by `or`. With `in (select …)`
// it would read the rows of all tenants.

/** Most callers are in no organisation: planning a look-up for them takes longer than all the rest. */
const none = raw(`'{}'::bigint[]`);

/** Ids of the tenants in the organisations of the scope. */
export function tenantsOfOrganisations({ organisationIds }: Scope): Sql {
  if (organisationIds.length === 0) return none;
  return sql`array(select n.id from tenant n where n.organisation_id = any(${organisationIds}))`;
}

/** Ids of the projects that the organisations of the scope license. */
export function licensedProjects({ organisationIds }: Scope): Sql {
  if (organisationIds.length === 0) return none;
  return sql`array(select i.project_id from license_instance i
    where i.organisation_id = any(${organisationIds}) and i.status <> 'DELETED')`;
}

/** Ids of the projects of other tenants that tenants of the scope view. */
export function acceptedProjects({ tenantIds }: Scope): Sql {
  return sql`array(select p.id from project p
    where p.accepted_tenant_ids && ${tenantIds}::bigint[] and p.status <> 'DELETED')`;
}

/** Ids of the licenses that tenants of the scope hold. */
export function heldLicenses(scope: Scope): Sql {
  return sql`array(select i.license_id from license_instance i where i.status <> 'DELETED'
    and (i.tenant_id = any(${scope.tenantIds}) or i.tenant_id = any(${tenantsOfOrganisations(scope)})))`;
}
