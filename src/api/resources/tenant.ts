import { organisationTable } from '../../store/tables/organisation.ts';
import { tenantTable } from '../../store/tables/tenant.ts';
import { given } from '../fields.ts';
import { defineResource } from '../resource.ts';
import { Id, Name, Text } from '../schema.ts';
import { idField, statusField, timeFields } from './common.ts';

export const tenant = defineResource({
  path: '/tenant',
  tag: 'Tenants',
  noun: 'tenant',
  about: 'A tenant owns projects, contracts, wallets, detectors, actions, destinations and users.',
  table: tenantTable,
  owner: 'platform',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    organisationId: given(Id('The organisation that the tenant belongs to.'), {
      references: organisationTable,
    }),
    name: given(Name('Unique name.', 'Acme Security'), { required: true }),
    description: given(Text('What the tenant is.', 'Security team of Acme.')),
  },
  finish: async (call) => call.services.forgetTokens(),
});
