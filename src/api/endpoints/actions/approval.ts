import { approvalTable } from '../../../store/tables/approvalTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const approval = defineResource({
  path: '/approval',
  tag: 'Approvals',
  about: 'A request that waits for a second user, because the wallet that it touches asks for one.',
  table: approvalTable,
  owner: 'tenant',
  without: ['create', 'update', 'delete'],
});
