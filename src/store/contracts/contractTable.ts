import { sql } from '../../lib/sql.ts';
import { actionTable } from '../actions/actionTable.ts';
import { detectorTable } from '../detectors/detectorTable.ts';
import { triggerTable } from '../detectors/triggerTable.ts';
import { licensedProjects, tenantsOfOrganisations } from '../fragments.ts';
import { byTenant, id, status, type Table, times, within } from '../table.ts';
import { tokenomicsCategoryTable } from '../tokenomics/tokenomicsCategoryTable.ts';

export const contractTable: Table = {
  kind: 'contract',
  name: 'contract',
  members: {
    ...id,
    ...times,
    projectId: { type: 'integer' },
    chainUid: { type: 'string' },
    address: { type: 'string', isAddress: true },
    implementation: { type: 'string', isAddress: true },
    name: { type: 'string' },
    category: { type: 'string' },
    tags: { type: 'string[]' },
    addressType: { type: 'string' },
    amlRequired: { type: 'boolean' },
    icon: { type: 'string' },
    tenantId: { type: 'integer' },
    ...status,
  },
  hidden: { canonicalAddress: 'string', abi: 'json', inspectedAt: 'integer' },
  // Contract-level authorization: whoever may see the project may see its contracts.
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
      or t.tenant_id in ${tenantsOfOrganisations(scope)}
      or t.project_id in (select p.id from project p
                          where p.accepted_tenant_ids && ${scope.tenantIds}::bigint[] and p.status <> 'DELETED')
      or t.project_id in ${licensedProjects(scope)})`,
  ),
  writable: byTenant,
  owns: () =>
    [detectorTable, triggerTable, actionTable, tokenomicsCategoryTable].map((table) => ({
      table,
      column: 'contract_id',
    })),
  unique: {
    contract_address: {
      member: 'address',
      message: 'The project already watches this address on this chain.',
    },
  },
};
