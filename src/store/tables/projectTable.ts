import { Type } from 'typebox';
import { sql } from '../../lib/sql.ts';
import { networkStatuses } from '../../model/enumerations.ts';
import { Icon, JsonObject, maxId, Name, OneOf, Text, Words } from '../../model/schema.ts';
import { idField, searchedStatus, tenantId, timeFields } from './commonFields.ts';
import { contractTable } from './contractTable.ts';
import { createOnly, editable, many } from './fields.ts';
import { acceptedProjects, licensedProjects, tenantsOfOrganisations } from './fragments.ts';
import { instanceTable } from './instanceTable.ts';
import { byTenant, defineTable, within } from './table.ts';

/** Of the caller's own tenants, or those of the caller's organisation; others only view it. */
const organisationTenants =
  '(select n.id from tenant n where n.organisation_id = any(scope.organisation_ids))';
const isOwn = `(scope.is_everything or t.tenant_id = any(scope.tenant_ids)
  or t.tenant_id in ${organisationTenants})`;
const withoutPrivate = (column: string) =>
  `(case when ${isOwn} then ${column} else ${column} - 'private' end)`;

export const projectTable = defineTable({
  kind: 'project',
  name: 'project',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    name: editable(Name('Name, unique in the tenant.', 'Vault'), { required: true }),
    legalName: editable(Text('Legal name of the company behind it.', 'Vault Ltd')),
    description: editable(Text('What the project is.', 'A yield vault.', { max: 10_000 })),
    icon: editable(Icon('Address of an icon.', 'https://example.com/vault.png')),
    website: editable(Text('Address of the website.', 'https://example.com', { max: 2000 })),
    networkStatus: editable(OneOf(networkStatuses, 'Which kind of network it runs on.', 'TESTNET')),
    marketDataId: editable(
      Text('Identifier of the project in an external market-data service.', 'vault-token'),
    ),
    params: editable(
      JsonObject('Any parameters; tenants that it is shared with do not see the member `private`.', {
        tvlSource: 'oracle',
      }),
      { as: () => withoutPrivate('t.params') },
    ),
    tags: editable(Words('Free labels.', ['defi']), { default: [] }),
    viewTenantIds: editable(
      Type.Unsafe<number[]>({
        type: 'array',
        items: { type: 'integer', minimum: 1, maximum: maxId },
        uniqueItems: true,
        maxItems: 1000,
        description:
          'Tenants that may view the project, its contracts and their alerts once they have accepted ' +
          '(`/share`). They do not see each other here.',
        examples: [[]],
      }),
      {
        default: [],
        as: () => `(case when ${isOwn} then t.view_tenant_ids
          else array(select v from unnest(t.view_tenant_ids) v where v = any(scope.tenant_ids)) end)`,
      },
    ),
    licenses: many(
      'License instances of the project.',
      {
        // A viewer of a shared project does not see the licenses that others gave it.
        from: () => `license_instance i where i.tenant_id = t.tenant_id and i.project_id = t.id
          and i.status <> 'DELETED' and (scope.is_everything or i.tenant_id = any(scope.tenant_ids)
            or i.organisation_id = any(scope.organisation_ids) or i.tenant_id in ${organisationTenants})`,
        alias: 'i',
      },
      instanceTable.fields,
    ),
    type: editable(Text('What sort of project it is.', 'vault', { max: 200 })),
    meta: editable(
      JsonObject('Any further data; tenants that it is shared with do not see the member `private`.', {
        team: 'blue',
      }),
      { as: () => withoutPrivate('t.meta') },
    ),
  },
  searched: searchedStatus,
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
      or t.id = any(${acceptedProjects(scope)})
      or t.tenant_id = any(${tenantsOfOrganisations(scope)})
      or t.id = any(${licensedProjects(scope)}))`,
  ),
  writable: byTenant,
  isScopedInside: true,
  owns: () => [
    { table: contractTable, column: 'project_id', ofTenant: true },
    { table: instanceTable, column: 'project_id', ofTenant: true },
  ],
  unique: { project_name: { member: 'name', message: 'The tenant has another project of this name.' } },
});
