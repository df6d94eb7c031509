import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { finishLicense, prepareLicense } from '../../../services/scores/prepareLicense.ts';
import { licenseTable } from '../../../store/scores/licenseTable.ts';
import { given, output, replySchema } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Icon, List, Name, Text } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';
import { scoreGroupSchema } from './scoreGroup.ts';

const fields = {
  name: given(Name('Name of the license.', 'Security score'), { required: true }),
  version: given(Text('Version of the license.', '1.0.0', { max: 50, pattern: '\\S' }), { required: true }),
  id: idField,
  ...timeFields,
  status: statusField,
  icon: given(Icon('Address of an icon.', 'https://example.com/license.png')),
  scoreGroups: output(List(scoreGroupSchema, 'Score groups of the license.'), { always: true }),
  params: given(
    Text(
      'Dynamic parameters held as a JSON text: `min` (0) and `max` (100) bound a score, `start` (max) is where it begins, `tick` is a schedule such as "1 day" by which the scripts are asked, and any other members are for the scripts.',
      '{"min":0,"max":100}',
      { max: 100_000 },
    ),
  ),
  groupScript: given(
    Text(
      'JavaScript that names the score groups which an event concerns: a text, a list of texts, or nothing. It sees `e` (the alert, or `{ type: "tick", timestamp }`), `l` (the params) and `s` (present scores by group). Without it every active score group is meant.',
      "['security']",
      { max: 100_000 },
    ),
  ),
  scoreScript: given(
    Text(
      'JavaScript that gives the change of the score of one group: a number, `{ change, key, value }`, or nothing. It sees what the group script sees, and `group` and `score` (the present one).',
      '-e.numericSeverity / 10',
      { max: 100_000 },
    ),
  ),
};

/** The license inside a license instance. */
export const licenseSchema = replySchema(fields, [], 'The license.');

export const license = defineResource({
  path: '/license',
  tag: 'Licenses and scores',
  noun: 'license',
  about:
    'Score groups and the scripts that compute scores. What runs in a licensed instance does not change: a new version is another license of the same name, to which instances are moved.',
  table: licenseTable,
  owner: 'platform',
  fields,
  prepare: prepareLicense,
  finish: finishLicense,
  beforeDelete: (call, { id }) =>
    refuseIfUsed(call, 'instances of a license', Number(id), 'instances use this license'),
});
