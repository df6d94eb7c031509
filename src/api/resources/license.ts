import { prepareLicense } from '../../services/prepareLicense.ts';
import { refuseIfUsed } from '../../services/refuseIfUsed.ts';
import { licenseTable } from '../../store/tables/license.ts';
import { given, output, replySchema } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { List, Name, Text } from '../schema.ts';
import { idField, statusField, timeFields } from './common.ts';
import { scoreGroupSchema } from './scoreGroup.ts';

const fields = {
  name: given(Name('Name of the license.', 'Security score'), { required: true }),
  version: given(Text('Version of the license.', '1.0.0', { max: 50, pattern: '\\S' }), { required: true }),
  id: idField,
  ...timeFields,
  status: statusField,
  icon: given(Text('Address of an icon.', 'https://example.com/license.png', { max: 2000 })),
  scoreGroups: output(List(scoreGroupSchema, 'Score groups of the license.'), { always: true }),
  params: given(Text('Dynamic parameters held as a JSON text.', '{"min":0,"max":100}', { max: 100_000 })),
  groupScript: given(
    Text('Script computing the scoring groups of a score change.', "['security']", { max: 100_000 }),
  ),
  scoreScript: given(Text('Script computing the score change value.', '-e.severity', { max: 100_000 })),
};

/** The license inside a license instance. */
export const licenseSchema = replySchema(fields, [], 'The license.');

export const license = defineResource({
  path: '/license',
  tag: 'Licenses and scores',
  noun: 'license',
  about: 'Score groups and the scripts that compute scores.',
  table: licenseTable,
  owner: 'platform',
  fields,
  prepare: prepareLicense,
  beforeDelete: (call, { id }) =>
    refuseIfUsed(call, 'instances of a license', Number(id), 'instances use this license'),
});
