import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { organisationTable } from '../../../store/tables/organisationTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const organisation = defineResource({
  path: '/organisation',
  tag: 'Organisations',
  about: 'An organisation groups tenants and holds licenses.',
  table: organisationTable,
  owner: 'platform',
  beforeDelete: async (call, { id }) => {
    await refuseIfUsed(call, 'tenants of an organisation', id, 'tenants belong to this organisation');
    await refuseIfUsed(call, 'licenses of an organisation', id, 'licenses belong to this organisation');
    await refuseIfUsed(call, 'instances of an organisation', id, 'license instances name this organisation');
  },
});
