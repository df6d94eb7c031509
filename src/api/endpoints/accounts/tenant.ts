import { organisationTable } from '../../../store/accounts/organisationTable.ts';
import { tenantTable } from '../../../store/accounts/tenantTable.ts';
import { given } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, Name, Text } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

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
