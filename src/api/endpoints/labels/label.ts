import { prepareLabel } from '../../../services/labels/prepareLabel.ts';
import { labelTable } from '../../../store/tables/labelTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const label = defineResource({
  path: '/label',
  tag: 'Labels',
  about:
    'What is known of an address: sanctions, exploits, mixers, bridges, spenders. Detectors look labels up while they watch.',
  table: labelTable,
  owner: 'anyone',
  limit: 'maxLabels',
  prepare: prepareLabel,
  hasBatch: true,
});
