import { sql } from '../../lib/sql.ts';
import { Id, Name, Text } from '../../model/schema.ts';
import { idField, statusField, timeFields } from './commonFields.ts';
import { editable, writeOnce } from './fields.ts';
import { heldLicenses } from './fragments.ts';
import { defineTable, within } from './table.ts';

export const scoreGroupTable = defineTable({
  kind: 'score/group',
  name: 'score_group',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    name: editable(Name('Name, unique in the license.', 'security'), { required: true }),
    title: editable(Text('Title for people.', 'Security')),
    description: editable(Text('What the group is about.', 'Alerts of security detectors.', { max: 10_000 })),
    licenseId: writeOnce(Id('The license that the group belongs to.'), { required: true, searchable: true }),
  },
  visible: within(
    (scope) => sql`t.license_id = any(array(select l.id from license l
      where l.organisation_id is null or l.organisation_id = any(${scope.organisationIds})
        or l.id = any(${heldLicenses(scope)})))`,
  ),
  writable: within(
    (scope) =>
      sql`t.license_id in (select l.id from license l where l.organisation_id = any(${scope.organisationIds}))`,
  ),
  unique: {
    score_group_name: { member: 'name', message: 'The license has another score group of this name.' },
  },
});
