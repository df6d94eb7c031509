import { byTenant, id, status, type Table, times } from '../table.ts';
import { tokenomicsScheduleTable } from './tokenomicsScheduleTable.ts';

export const tokenomicsCategoryTable: Table = {
  kind: 'tokenomics/category',
  name: 'tokenomics_category',
  members: {
    ...id,
    uid: { type: 'string' },
    ...times,
    ...status,
    contractId: { type: 'integer' },
    name: { type: 'string' },
    description: { type: 'string' },
    address: { type: 'string', isAddress: true },
    amount: { type: 'string' },
    tenantId: { type: 'integer' },
  },
  visible: byTenant,
  writable: byTenant,
  owns: () => [{ table: tokenomicsScheduleTable, column: 'category_id' }],
};
