import { sql } from '../../lib/sql.ts';
import { byTenant, id, status, type Table, times, within } from '../table.ts';

export const labelTable: Table = {
  kind: 'label',
  name: 'address_label',
  members: {
    ...id,
    ...times,
    ...status,
    tenantId: { type: 'integer' },
    chainUid: { type: 'string' },
    address: { type: 'string', isAddress: 'canonical' },
    name: { type: 'string' },
    tags: { type: 'string[]' },
    score: { type: 'integer' },
    source: { type: 'string' },
    note: { type: 'string' },
  },
  hidden: { addressHash: 'integer' },
  visible: within((scope) => sql`(t.tenant_id is null or t.tenant_id = any(${scope.tenantIds}))`),
  writable: byTenant,
  unique: {
    address_label_key: {
      member: 'address',
      message: 'This address already has a label of this source on this chain; change that one.',
    },
  },
};
