import { prepareInstanceMeta } from '../../../services/scores/prepareInstanceMeta.ts';
import { instanceMetaTable } from '../../../store/tables/instanceMetaTable.ts';
import { instanceTable } from '../../../store/tables/instanceTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const instanceMeta = defineResource({
  path: '/instance/meta',
  tag: 'Licenses and scores',
  about: 'A time in which a license instance is valid.',
  table: instanceMetaTable,
  owner: { member: 'licenseInstanceId', table: instanceTable, use: 'write' },
  prepare: prepareInstanceMeta,
});
