import { sql } from '../../lib/sql.ts';
import { administrators, id, status, type Table, times, within } from '../table.ts';
import { apiKeyTable } from './apiKey.ts';
import { destinationTable } from './destination.ts';
import { inviteTable } from './invite.ts';
import { labelTable } from './label.ts';
import { projectTable } from './project.ts';
import { subscriptionTable } from './subscription.ts';
import { userTable } from './user.ts';
import { walletTable } from './wallet.ts';

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
