import { resumeLanes } from '../../../store/scores/resumeLanes.ts';
import { licenseTable } from '../../../store/tables/licenseTable.ts';
import { scoreGroupTable } from '../../../store/tables/scoreGroupTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const scoreGroup = defineResource({
  path: '/score/group',
  tag: 'Licenses and scores',
  about: 'A group in which a license keeps a score.',
  table: scoreGroupTable,
  owner: { member: 'licenseId', table: licenseTable, use: 'write' },
  // A script that named a missing group can go on now.
  finish: ({ db }, _change, scoreGroupId) => resumeLanes(db, { scoreGroupId }),
});
