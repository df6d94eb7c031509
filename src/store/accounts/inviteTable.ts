import { byTenantOrOrganisation, id, status, type Table, times } from '../table.ts';

export const inviteTable: Table = {
  kind: 'invite',
  name: 'invite',
  members: {
    email: { type: 'string' },
    roles: { type: 'string[]' },
    ...id,
    ...times,
    tenantId: { type: 'integer' },
    organisationId: { type: 'integer' },
    expiredAt: { type: 'integer' },
    ...status,
  },
  hidden: {
    url: 'string',
    uidHash: 'bytes',
    acceptedAt: 'integer',
    makerId: 'integer',
    makerTokenId: 'integer',
  },
  visible: byTenantOrOrganisation,
  writable: byTenantOrOrganisation,
  unique: {
    invite_open: {
      member: 'email',
      message: 'Another invite for this address is being made at this moment.',
    },
  },
};
