import { sql } from '../../lib/sql.ts';
import { heldLicenses } from '../fragments.ts';
import { id, status, type Table, times, within } from '../table.ts';

export const scoreGroupTable: Table = {
  kind: 'score/group',
  name: 'score_group',
  members: {
    ...id,
    ...times,
    ...status,
    name: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    licenseId: { type: 'integer' },
  },
  visible: within(
    (scope) => sql`t.license_id in (select l.id from license l
      where l.organisation_id is null or l.organisation_id = any(${scope.organisationIds})
        or l.id in ${heldLicenses(scope)})`,
  ),
  writable: within(
    (scope) =>
      sql`t.license_id in (select l.id from license l where l.organisation_id = any(${scope.organisationIds}))`,
  ),
  unique: {
    score_group_name: { member: 'name', message: 'The license has another score group of this name.' },
  },
};
