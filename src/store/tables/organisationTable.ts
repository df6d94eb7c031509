import { sql } from '../../lib/sql.ts';
import { Name, Text } from '../../model/schema.ts';
import { idField, statusField, timeFields } from './commonFields.ts';
import { editable } from './fields.ts';
import { licenseTable } from './licenseTable.ts';
import { administrators, defineTable, within } from './table.ts';
import { tenantTable } from './tenantTable.ts';

export const organisationTable = defineTable({
  kind: 'organisation',
  name: 'organisation',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    name: editable(Name('Unique name.', 'Acme Group'), { required: true }),
    description: editable(Text('What the organisation is.', 'Holding of the Acme tenants.')),
  },
  visible: within(
    (scope) => sql`(t.id = any(${scope.organisationIds})
      or t.id = any(array(select n.organisation_id from tenant n where n.id = any(${scope.tenantIds}))))`,
  ),
  writable: administrators,
  owns: () => [
    { table: tenantTable, column: 'organisation_id' },
    { table: licenseTable, column: 'organisation_id' },
  ],
  unique: { organisation_name: { member: 'name', message: 'Another organisation has this name.' } },
});
