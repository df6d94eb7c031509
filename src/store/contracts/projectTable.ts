import { sql } from '../../lib/sql.ts';
import { licensedProjects, tenantsOfOrganisations } from '../fragments.ts';
import { instanceMembers, instanceTable } from '../scores/instanceTable.ts';
import { byTenant, id, status, type Table, times, within } from '../table.ts';
import { contractTable } from './contractTable.ts';

/** Of the caller's own tenants, or those of the caller's organisation; others only view it. */
const organisationTenants =
  '(select n.id from tenant n where n.organisation_id = any(scope.organisation_ids))';
const isOwn = `(scope.is_everything or t.tenant_id = any(scope.tenant_ids)
  or t.tenant_id in ${organisationTenants})`;
const withoutPrivate = (column: string) =>
  `(case when ${isOwn} then ${column} else ${column} - 'private' end)`;

export const projectTable: Table = {
  kind: 'project',
  name: 'project',
  members: {
    ...id,
    ...times,
    tenantId: { type: 'integer' },
    name: { type: 'string' },
    legalName: { type: 'string' },
    description: { type: 'string' },
    icon: { type: 'string' },
    website: { type: 'string' },
    networkStatus: { type: 'string' },
    marketDataId: { type: 'string' },
    params: { type: 'json', as: withoutPrivate('t.params') },
    tags: { type: 'string[]' },
    viewTenantIds: {
      type: 'integer[]',
      as: `(case when ${isOwn} then t.view_tenant_ids
        else array(select v from unnest(t.view_tenant_ids) v where v = any(scope.tenant_ids)) end)`,
    },
    licenses: {
      type: 'many',
      // Whoever sees a shared project does not see the licenses that others gave it.
      from: `license_instance i where i.tenant_id = t.tenant_id and i.project_id = t.id and i.status <> 'DELETED'
        and (scope.is_everything or i.tenant_id = any(scope.tenant_ids)
          or i.organisation_id = any(scope.organisation_ids) or i.tenant_id in ${organisationTenants})`,
      alias: 'i',
      members: instanceMembers('i'),
    },
    type: { type: 'string' },
    meta: { type: 'json', as: withoutPrivate('t.meta') },
    ...status,
  },
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
      or t.accepted_tenant_ids && ${scope.tenantIds}::bigint[]
      or t.tenant_id in ${tenantsOfOrganisations(scope)}
      or t.id in ${licensedProjects(scope)})`,
  ),
  writable: byTenant,
  isScopedInside: true,
  owns: () => [
    { table: contractTable, column: 'project_id' },
    { table: instanceTable, column: 'project_id' },
  ],
  unique: { project_name: { member: 'name', message: 'The tenant has another project of this name.' } },
};
