import { sql } from '../../lib/sql.ts';
import { Id, Name, Text } from '../../model/schema.ts';
import { viewTable } from '../alerts/viewTable.ts';
import { projectTable } from '../contracts/projectTable.ts';
import { destinationTable } from '../destinations/destinationTable.ts';
import { silenceTable } from '../destinations/silenceTable.ts';
import { timeSetTable } from '../destinations/timeSetTable.ts';
import { editable } from '../fields.ts';
import { labelTable } from '../labels/labelTable.ts';
import { idField, statusField, timeFields } from '../records/commonFields.ts';
import { administrators, defineTable, within } from '../table.ts';
import { walletTable } from '../wallets/walletTable.ts';
import { apiKeyTable } from './apiKeyTable.ts';
import { inviteTable } from './inviteTable.ts';
import { subscriptionTable } from './subscriptionTable.ts';
import { userTable } from './userTable.ts';

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
    ].map((table) => ({ table, column: 'tenant_id' })),
  unique: { tenant_name: { member: 'name', message: 'Another tenant has this name.' } },
});
