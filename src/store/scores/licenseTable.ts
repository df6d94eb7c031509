import { sql } from '../../lib/sql.ts';
import { heldLicenses } from '../fragments.ts';
import { id, status, type Table, times, within } from '../table.ts';
import { scoreGroupTable } from './scoreGroupTable.ts';

const { licenseId: _licenseId, ...scoreGroupMembers } = scoreGroupTable.members;

export const licenseTable: Table = {
  kind: 'license',
  name: 'license',
  members: {
    name: { type: 'string' },
    version: { type: 'string' },
    ...id,
    ...times,
    ...status,
    icon: { type: 'string' },
    scoreGroups: {
      type: 'many',
      from: "score_group g where g.license_id = t.id and g.status <> 'DELETED'",
      alias: 'g',
      members: scoreGroupMembers,
    },
    params: { type: 'string' },
    groupScript: { type: 'string' },
    scoreScript: { type: 'string' },
    organisationId: { type: 'integer' },
  },
  hidden: { tick: 'string' },
  visible: within(
    (scope) => sql`(t.organisation_id is null or t.organisation_id = any(${scope.organisationIds})
      or t.id in ${heldLicenses(scope)})`,
  ),
  writable: within((scope) => sql`t.organisation_id = any(${scope.organisationIds})`),
  owns: () => [{ table: scoreGroupTable, column: 'license_id' }],
  unique: { license_version: { member: 'version', message: 'This version of the license exists already.' } },
};
