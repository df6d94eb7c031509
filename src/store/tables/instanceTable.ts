import { sql } from '../../lib/sql.ts';
import { licenseStatuses } from '../../model/enumerations.ts';
import { Id, OneOf } from '../../model/schema.ts';
import { idField, searchedTenant, statusField, timeFields } from './commonFields.ts';
import { createOnly, editable, many, one, writeOnly } from './fields.ts';
import { tenantsOfOrganisations } from './fragments.ts';
import { instanceMetaTable } from './instanceMetaTable.ts';
import { licenseTable } from './licenseTable.ts';
import { defineTable, within } from './table.ts';

export const instanceTable = defineTable({
  kind: 'instance',
  name: 'license_instance',
  fields: {
    license: one(
      'The license.',
      { from: (t) => `license l where l.id = ${t}.license_id`, alias: 'l' },
      licenseTable.fields,
    ),
    licenseId: writeOnly(Id('The license; on a change another version of it.'), {
      required: true,
      searchable: true,
    }),
    organisationId: createOnly(Id('The organisation that grants the license.'), {
      required: true,
    }),
    projectId: createOnly(Id('The licensed project.'), { required: true }),
    licenseStatus: editable(
      OneOf(licenseStatuses, 'PENDING becomes LICENCED or CANCELED, LICENCED becomes CANCELED.', 'PENDING'),
      {
        default: 'PENDING',
      },
    ),
    id: idField,
    ...timeFields,
    status: statusField,
    licenseInstanceMeta: many(
      'Times in which the license is valid.',
      {
        from: (t) => `license_instance_meta m where m.tenant_id = ${t}.tenant_id
        and m.license_instance_id = ${t}.id and m.status <> 'DELETED'`,
        alias: 'm',
      },
      // The form embedded here also carries the status.
      { ...instanceMetaTable.fields, status: statusField },
    ),
  },
  searched: searchedTenant,
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds}) or t.organisation_id = any(${scope.organisationIds})
      or t.tenant_id = any(${tenantsOfOrganisations(scope)}))`,
  ),
  writable: within((scope) => sql`t.organisation_id = any(${scope.organisationIds})`),
  owns: () => [{ table: instanceMetaTable, column: 'license_instance_id', ofTenant: true }],
  unique: {
    license_instance_binding: { member: 'licenseId', message: 'The project already has this license.' },
  },
});
