import { sql } from '../../lib/sql.ts';
import { Id, Text } from '../../model/schema.ts';
import { idField, searchedStatus, searchedTenant, timeFields } from './commonFields.ts';
import { createOnly, editable } from './fields.ts';
import { tenantsOfOrganisations } from './fragments.ts';
import { defineTable, within } from './table.ts';

export const instanceMetaTable = defineTable({
  kind: 'instance/meta',
  name: 'license_instance_meta',
  fields: {
    id: idField,
    ...timeFields,
    licenseInstanceId: createOnly(Id('The license instance.'), { required: true }),
    startedAt: editable(
      Text('When the license begins, ISO 8601 UTC.', '2026-11-15T00:00:00.000Z', {
        max: 40,
        format: 'date-time',
      }),
      { required: true },
    ),
    expiredAt: editable(
      Text('When it ends, ISO 8601 UTC; never if null.', '2027-11-15T00:00:00.000Z', {
        max: 40,
        format: 'date-time',
      }),
    ),
  },
  searched: { ...searchedTenant, ...searchedStatus },
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
      or t.tenant_id = any(${tenantsOfOrganisations(scope)})
      or t.license_instance_id = any(array(select i.id from license_instance i
                                        where i.organisation_id = any(${scope.organisationIds}))))`,
  ),
  writable: within(
    (scope) => sql`t.license_instance_id in (select i.id from license_instance i
      where i.organisation_id = any(${scope.organisationIds}))`,
  ),
});
