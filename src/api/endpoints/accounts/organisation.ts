import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { organisationTable } from '../../../store/accounts/organisationTable.ts';
import { given } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Name, Text } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

export const organisation = defineResource({
  path: '/organisation',
  tag: 'Organisations',
  noun: 'organisation',
  about: 'An organisation groups tenants and holds licenses.',
  table: organisationTable,
  owner: 'platform',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    name: given(Name('Unique name.', 'Acme Group'), { required: true }),
    description: given(Text('What the organisation is.', 'Holding of the Acme tenants.')),
  },
  beforeDelete: async (call, { id }) => {
    await refuseIfUsed(call, 'tenants of an organisation', Number(id), 'tenants belong to this organisation');
    await refuseIfUsed(
      call,
      'licenses of an organisation',
      Number(id),
      'licenses belong to this organisation',
    );
    await refuseIfUsed(
      call,
      'instances of an organisation',
      Number(id),
      'license instances name this organisation',
    );
  },
});
