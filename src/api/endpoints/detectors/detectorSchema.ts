import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { detectorSchemaTable } from '../../../store/tables/detectorSchemaTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const detectorSchema = defineResource({
  path: '/detector/schema',
  tag: 'Detectors',
  about: 'The findings and the configuration of a kind of detector.',
  table: detectorSchemaTable,
  owner: 'platform',
  beforeDelete: (call, { id }) =>
    refuseIfUsed(call, 'detectors of a schema', id, 'detectors use this schema'),
});
