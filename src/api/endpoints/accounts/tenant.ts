import { organisationTable } from '../../../store/tables/organisationTable.ts';
import { tenantTable } from '../../../store/tables/tenantTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const tenant = defineResource({
  path: '/tenant',
  tag: 'Tenants',
  about: 'A tenant owns projects, contracts, wallets, detectors, actions, destinations and users.',
  table: tenantTable,
  owner: 'platform',
  references: { organisationId: organisationTable },
  finish: async (call) => call.services.invalidateTokens(),
});
