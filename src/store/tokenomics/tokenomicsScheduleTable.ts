import { byTenant, id, status, type Table, times } from '../table.ts';

export const tokenomicsScheduleTable: Table = {
  kind: 'tokenomics/schedule',
  name: 'tokenomics_schedule',
  members: {
    ...id,
    uid: { type: 'string' },
    ...times,
    ...status,
    categoryId: { type: 'integer' },
    name: { type: 'string' },
    amounts: { type: 'json' },
    tenantId: { type: 'integer' },
  },
  visible: byTenant,
  writable: byTenant,
};
