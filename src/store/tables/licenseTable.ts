import { sql } from '../../lib/sql.ts';
import { Icon, Name, Text } from '../../model/schema.ts';
import { idField, statusField, timeFields } from './commonFields.ts';
import { editable, many } from './fields.ts';
import { heldLicenses } from './fragments.ts';
import { scoreGroupTable } from './scoreGroupTable.ts';
import { defineTable, within } from './table.ts';

export const licenseTable = defineTable({
  kind: 'license',
  name: 'license',
  fields: {
    name: editable(Name('Name of the license.', 'Security score'), { required: true }),
    version: editable(Text('Version of the license.', '1.0.0', { max: 50, pattern: '\\S' }), {
      required: true,
    }),
    id: idField,
    ...timeFields,
    status: statusField,
    icon: editable(Icon('Address of an icon.', 'https://example.com/license.png')),
    scoreGroups: many(
      'Score groups of the license.',
      { from: (t) => `score_group g where g.license_id = ${t}.id and g.status <> 'DELETED'`, alias: 'g' },
      scoreGroupTable.fields,
    ),
    params: editable(
      Text(
        'Dynamic parameters held as a JSON text: `min` (0) and `max` (100) bound a score, `start` (max) is ' +
          'where it begins, `tick` is a schedule such as "1 day" by which the scripts are asked, and any ' +
          'other members are for the scripts.',
        '{"min":0,"max":100}',
        { max: 100_000 },
      ),
    ),
    groupScript: editable(
      Text(
        'JavaScript that names the score groups which an event concerns: a text, a list of texts, or ' +
          'nothing. It sees `e` (the alert, or `{ type: "tick", timestamp }`), `l` (the params) and `s` ' +
          '(present scores by group). Without it every active score group is meant.',
        "['security']",
        { max: 100_000 },
      ),
    ),
    scoreScript: editable(
      Text(
        'JavaScript that gives the change of the score of one group: a number, `{ change, key, value }`, ' +
          'or nothing. It sees what the group script sees, and `group` and `score` (the present one).',
        '-e.numericSeverity / 10',
        { max: 100_000 },
      ),
    ),
  },
  searched: { organisationId: { type: 'integer' } },
  hidden: { tick: 'string' },
  visible: within(
    (scope) => sql`(t.organisation_id is null or t.organisation_id = any(${scope.organisationIds})
      or t.id = any(${heldLicenses(scope)}))`,
  ),
  writable: within((scope) => sql`t.organisation_id = any(${scope.organisationIds})`),
  owns: () => [{ table: scoreGroupTable, column: 'license_id' }],
  unique: { license_version: { member: 'version', message: 'This version of the license exists already.' } },
});
