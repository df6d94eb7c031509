import { prepareTrigger } from '../../../services/detectors/prepareTrigger.ts';
import { contractTable } from '../../../store/tables/contractTable.ts';
import { triggerTable } from '../../../store/tables/triggerTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const trigger = defineResource({
  path: '/trigger',
  tag: 'Triggers',
  about: 'A trigger raises its alerts when a simple condition on a contract holds.',
  table: triggerTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  limit: 'maxTriggers',
  prepare: prepareTrigger,
  hasBatch: true,
});
