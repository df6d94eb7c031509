import { sql } from '../../lib/sql.ts';
import { byTenant, id, status, type Table, times, within } from '../table.ts';
import { contractTable } from './contract.ts';
import { instanceMembers, instanceTable } from './instance.ts';

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
    params: { type: 'json' },
    tags: { type: 'string[]' },
    viewTenantIds: { type: 'integer[]' },
    licenses: {
      type: 'many',
      // Whoever sees a shared project does not see the licenses that others gave it.
      from: `license_instance i where i.tenant_id = t.tenant_id and i.project_id = t.id and i.status <> 'DELETED'
        and (scope.is_everything or i.tenant_id = any(scope.tenant_ids) or i.organisation_id = any(scope.organisation_ids)
          or i.tenant_id in (select o.id from tenant o where o.organisation_id = any(scope.organisation_ids)))`,
      alias: 'i',
      members: instanceMembers('i'),
    },
    type: { type: 'string' },
    meta: { type: 'json' },
    ...status,
  },
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
      or t.view_tenant_ids && ${scope.tenantIds}::bigint[]
      or t.tenant_id in (select o.id from tenant o where o.organisation_id = any(${scope.organisationIds}))
      or t.id in (select v.project_id from license_instance v
                  where v.organisation_id = any(${scope.organisationIds}) and v.status <> 'DELETED'))`,
  ),
  writable: byTenant,
  isScopedInside: true,
  owns: () => [
    { table: contractTable, column: 'project_id' },
    { table: instanceTable, column: 'project_id' },
  ],
  unique: { project_name: { member: 'name', message: 'The tenant has another project of this name.' } },
};
