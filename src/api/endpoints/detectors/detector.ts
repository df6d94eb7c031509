import { finishDetector, prepareDetector } from '../../../services/detectors/prepareDetector.ts';
import { contractTable } from '../../../store/tables/contractTable.ts';
import { detectorSchemaTable } from '../../../store/tables/detectorSchemaTable.ts';
import { detectorTable } from '../../../store/tables/detectorTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const detector = defineResource({
  path: '/detector',
  tag: 'Detectors',
  about: 'A detector watches a contract and raises alerts.',
  table: detectorTable,
  owner: { member: 'contractId', table: contractTable, use: 'write' },
  limit: 'maxDetectors',
  references: { schemaId: detectorSchemaTable },
  unexampled: ['schemaId'],
  prepare: prepareDetector,
  finish: finishDetector,
  hasBatch: true,
});
