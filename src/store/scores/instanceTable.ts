import { sql } from '../../lib/sql.ts';
import { tenantsOfOrganisations } from '../fragments.ts';
import { id, type Members, status, type Table, times, within } from '../table.ts';
import { instanceMetaTable } from './instanceMetaTable.ts';
import { licenseTable } from './licenseTable.ts';
import { scoreGroupTable } from './scoreGroupTable.ts';

const { organisationId: _organisationId, ...licenseMembers } = licenseTable.members;
const { licenseId: _licenseId, ...scoreGroupMembers } = scoreGroupTable.members;
const { tenantId: _tenantId, ...metaMembers } = instanceMetaTable.members;

/** A license instance read under the given alias; a project shows its instances too. */
export function instanceMembers(alias: string): Members {
  return {
    license: {
      type: 'one',
      from: `license l where l.id = ${alias}.license_id`,
      alias: 'l',
      members: {
        ...licenseMembers,
        scoreGroups: {
          type: 'many',
          from: "score_group g where g.license_id = l.id and g.status <> 'DELETED'",
          alias: 'g',
          members: scoreGroupMembers,
        },
      },
    },
    organisationId: { type: 'integer' },
    projectId: { type: 'integer' },
    licenseStatus: { type: 'string' },
    ...id,
    ...times,
    ...status,
    licenseInstanceMeta: {
      type: 'many',
      from: `license_instance_meta m where m.tenant_id = ${alias}.tenant_id
        and m.license_instance_id = ${alias}.id and m.status <> 'DELETED'`,
      alias: 'm',
      members: metaMembers,
    },
  };
}

export const instanceTable: Table = {
  kind: 'instance',
  name: 'license_instance',
  members: { ...instanceMembers('t'), licenseId: { type: 'integer' }, tenantId: { type: 'integer' } },
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds}) or t.organisation_id = any(${scope.organisationIds})
      or t.tenant_id in ${tenantsOfOrganisations(scope)})`,
  ),
  writable: within((scope) => sql`t.organisation_id = any(${scope.organisationIds})`),
  owns: () => [{ table: instanceMetaTable, column: 'license_instance_id' }],
  unique: {
    license_instance_binding: { member: 'licenseId', message: 'The project already has this license.' },
  },
};
