import { triggerSchemaTable } from '../../../store/tables/triggerSchemaTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const triggerSchema = defineResource({
  path: '/trigger/schema',
  tag: 'Triggers',
  about: 'The condition and the parameters of a kind of trigger.',
  table: triggerSchemaTable,
  owner: 'platform',
  without: ['create', 'read', 'update', 'delete'],
});
