import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { finishLicense, prepareLicense } from '../../../services/scores/prepareLicense.ts';
import { licenseTable } from '../../../store/tables/licenseTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const license = defineResource({
  path: '/license',
  tag: 'Licenses and scores',
  about:
    'Score groups and the scripts that compute scores. What runs in a licensed instance does not change: a new version is another license of the same name, to which instances are moved.',
  table: licenseTable,
  owner: 'platform',
  prepare: prepareLicense,
  finish: finishLicense,
  beforeDelete: (call, { id }) =>
    refuseIfUsed(call, 'instances of a license', id, 'instances use this license'),
});
