import { byTenantOrOrganisation, id, status, type Table, times } from '../table.ts';
import { apiKeyTable } from './apiKeyTable.ts';

export const userTable: Table = {
  kind: 'user',
  name: 'member',
  members: {
    ...id,
    ...times,
    ...status,
    tenantId: { type: 'integer' },
    organisationId: {
      type: 'integer',
      as: '(select n.organisation_id from tenant n where n.id = t.tenant_id)',
    },
    email: { type: 'string' },
    name: { type: 'string' },
    roles: { type: 'string[]' },
  },
  hidden: { passwordHash: 'string' },
  visible: byTenantOrOrganisation,
  writable: byTenantOrOrganisation,
  owns: () => [{ table: apiKeyTable, column: 'member_id' }],
  unique: {
    member_email: { member: 'email', message: 'Another user of the tenant has this e-mail address.' },
  },
};
