import { byTenant, id, status, type Table, times } from '../table.ts';

export const apiKeyTable: Table = {
  kind: 'apikey',
  name: 'access_token',
  members: {
    ...id,
    ...times,
    ...status,
    tenantId: { type: 'integer' },
    userId: { type: 'integer', as: 't.member_id' },
    label: { type: 'string' },
    roles: { type: 'string[]' },
    hint: { type: 'string' },
    expiredAt: { type: 'integer' },
  },
  hidden: { kind: 'string', memberId: 'integer', hash: 'bytes' },
  visible: byTenant,
  writable: byTenant,
  only: "t.kind = 'API_KEY'",
};
