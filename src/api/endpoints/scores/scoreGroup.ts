import { licenseTable } from '../../../store/scores/licenseTable.ts';
import { resumeLanes } from '../../../store/scores/resumeLanes.ts';
import { scoreGroupTable } from '../../../store/scores/scoreGroupTable.ts';
import { given, hidden, replySchema } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, Name, Text } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

const fields = {
  id: idField,
  ...timeFields,
  status: statusField,
  name: given(Name('Name, unique in the license.', 'security'), { required: true }),
  title: given(Text('Title for people.', 'Security')),
  description: given(Text('What the group is about.', 'Alerts of security detectors.', { max: 10_000 })),
  licenseId: hidden(Id('The license that the group belongs to.'), { required: true, fixed: true }),
};

/** The score group inside a license. */
export const scoreGroupSchema = replySchema(fields);

export const scoreGroup = defineResource({
  path: '/score/group',
  tag: 'Licenses and scores',
  noun: 'score group',
  about: 'A group in which a license keeps a score.',
  table: scoreGroupTable,
  owner: { member: 'licenseId', table: licenseTable, use: 'write' },
  fields,
  // A script that named a missing group can go on now.
  finish: ({ db }, _change, scoreGroupId) => resumeLanes(db, { scoreGroupId }),
});
