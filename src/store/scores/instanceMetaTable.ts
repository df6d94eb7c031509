import { sql } from '../../lib/sql.ts';
import { tenantsOfOrganisations } from '../fragments.ts';
import { id, status, type Table, times, within } from '../table.ts';

export const instanceMetaTable: Table = {
  kind: 'instance/meta',
  name: 'license_instance_meta',
  members: {
    ...id,
    ...times,
    licenseInstanceId: { type: 'integer' },
    startedAt: { type: 'date' },
    expiredAt: { type: 'date' },
    ...status,
    tenantId: { type: 'integer' },
  },
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
      or t.tenant_id in ${tenantsOfOrganisations(scope)}
      or t.license_instance_id in (select i.id from license_instance i
                                   where i.organisation_id = any(${scope.organisationIds})))`,
  ),
  writable: within(
    (scope) => sql`t.license_instance_id in (select i.id from license_instance i
      where i.organisation_id = any(${scope.organisationIds}))`,
  ),
};
