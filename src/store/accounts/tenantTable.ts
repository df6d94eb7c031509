import { sql } from '../../lib/sql.ts';
import { projectTable } from '../contracts/projectTable.ts';
import { destinationTable } from '../destinations/destinationTable.ts';
import { labelTable } from '../labels/labelTable.ts';
import { administrators, id, status, type Table, times, within } from '../table.ts';
import { walletTable } from '../wallets/walletTable.ts';
import { apiKeyTable } from './apiKeyTable.ts';
import { inviteTable } from './inviteTable.ts';
import { subscriptionTable } from './subscriptionTable.ts';
import { userTable } from './userTable.ts';

export const tenantTable: Table = {
  kind: 'tenant',
  name: 'tenant',
  members: {
    ...id,
    ...times,
    ...status,
    organisationId: { type: 'integer' },
    name: { type: 'string' },
    description: { type: 'string' },
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
    ].map((table) => ({ table, column: 'tenant_id' })),
  unique: { tenant_name: { member: 'name', message: 'Another tenant has this name.' } },
};
