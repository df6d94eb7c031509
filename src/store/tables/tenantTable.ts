import { sql } from '../../lib/sql.ts';
import { Id, Name, Text } from '../../model/schema.ts';
import { apiKeyTable } from './apiKeyTable.ts';
import { idField, statusField, timeFields } from './commonFields.ts';
import { destinationTable } from './destinationTable.ts';
import { escalationChainTable } from './escalationChainTable.ts';
import { editable } from './fields.ts';
import { inhibitionTable } from './inhibitionTable.ts';
import { inviteTable } from './inviteTable.ts';
import { labelTable } from './labelTable.ts';
import { projectTable } from './projectTable.ts';
import { routeTable } from './routeTable.ts';
import { scheduleTable } from './scheduleTable.ts';
import { silenceTable } from './silenceTable.ts';
import { subscriptionTable } from './subscriptionTable.ts';
import { administrators, defineTable, within } from './table.ts';
import { timeSetTable } from './timeSetTable.ts';
import { userTable } from './userTable.ts';
import { viewTable } from './viewTable.ts';
import { walletTable } from './walletTable.ts';

export const tenantTable = defineTable({
  kind: 'tenant',
  name: 'tenant',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    organisationId: editable(Id('The organisation that the tenant belongs to.')),
    name: editable(Name('Unique name.', 'Acme Security'), { required: true }),
    description: editable(Text('What the tenant is.', 'Security team of Acme.')),
  },
  visible: within(
    (scope) => sql`(t.id = any(${scope.tenantIds}) or t.organisation_id = any(${scope.organisationIds}))`,
  ),
  writable: administrators,
  owns: () =>
    [
      userTable,
      apiKeyTable,
      inviteTable,
      subscriptionTable,
      projectTable,
      walletTable,
      destinationTable,
      labelTable,
      viewTable,
      timeSetTable,
      silenceTable,
      scheduleTable,
      escalationChainTable,
      routeTable,
      inhibitionTable,
    ].map((table) => ({ table, column: 'tenant_id' })),
  unique: { tenant_name: { member: 'name', message: 'Another tenant has this name.' } },
});
