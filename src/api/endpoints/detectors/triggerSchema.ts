import { triggerSchemaTable } from '../../../store/tables/triggerSchemaTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const triggerSchema = defineResource({
  path: '/trigger/schema',
  tag: 'Triggers',
  about: 'What a kind of trigger looks for and which parameters it takes.',
  table: triggerSchemaTable,
  owner: 'platform',
  without: ['create', 'read', 'update', 'delete'],
});
