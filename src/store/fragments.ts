import { raw, type Sql, sql } from '../lib/sql.ts';
import type { Scope } from '../model/principal.ts';

/** The database's clock, by which several processes agree. */
export const nowMs = raw('floor(extract(epoch from clock_timestamp()) * 1000)::bigint');

/** Ids of the tenants in the organisations of the scope. */
export function tenantsOfOrganisations({ organisationIds }: Scope): Sql {
  return sql`(select n.id from tenant n where n.organisation_id = any(${organisationIds}))`;
}

/** Ids of the projects that the organisations of the scope license. */
export function licensedProjects({ organisationIds }: Scope): Sql {
  return sql`(select i.project_id from license_instance i
    where i.organisation_id = any(${organisationIds}) and i.status <> 'DELETED')`;
}

/** Ids of the licenses that tenants of the scope hold. */
export function heldLicenses(scope: Scope): Sql {
  return sql`(select i.license_id from license_instance i where i.status <> 'DELETED'
    and (i.tenant_id = any(${scope.tenantIds}) or i.tenant_id in ${tenantsOfOrganisations(scope)}))`;
}
