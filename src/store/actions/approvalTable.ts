import { byTenant, id, type Table, times } from '../table.ts';

/** A pending request past its expiry reads as EXPIRED, also before it is marked so. */
const state = `case when t.state = 'PENDING' and t.expires_at <= extract(epoch from clock_timestamp()) * 1000
  then 'EXPIRED' else t.state end`;

export const approvalTable: Table = {
  kind: 'approval',
  name: 'approval',
  members: {
    ...id,
    ...times,
    tenantId: { type: 'integer' },
    state: { type: 'string', as: state },
    expiresAt: { type: 'integer' },
    walletId: { type: 'integer' },
    method: { type: 'string' },
    path: { type: 'string' },
    recordId: { type: 'integer' },
    body: { type: 'json' },
    requestedBy: { type: 'integer' },
    decidedBy: { type: 'integer' },
  },
  hidden: { sealedRequest: 'bytes' },
  visible: byTenant,
  writable: byTenant,
};
