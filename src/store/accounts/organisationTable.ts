import { sql } from '../../lib/sql.ts';
import { licenseTable } from '../scores/licenseTable.ts';
import { administrators, id, status, type Table, times, within } from '../table.ts';
import { tenantTable } from './tenantTable.ts';

export const organisationTable: Table = {
  kind: 'organisation',
  name: 'organisation',
  members: { ...id, ...times, ...status, name: { type: 'string' }, description: { type: 'string' } },
  visible: within(
    (scope) => sql`(t.id = any(${scope.organisationIds})
      or t.id in (select n.organisation_id from tenant n where n.id = any(${scope.tenantIds})))`,
  ),
  writable: administrators,
  owns: () => [
    { table: tenantTable, column: 'organisation_id' },
    { table: licenseTable, column: 'organisation_id' },
  ],
  unique: { organisation_name: { member: 'name', message: 'Another organisation has this name.' } },
};
