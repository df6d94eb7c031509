import { prepareView, refuseOthers } from '../../../services/alerts/prepareView.ts';
import { viewTable } from '../../../store/tables/viewTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const view = defineResource({
  path: '/view',
  tag: 'Alerts',
  about:
    'A search of alerts that is kept: its query, columns and time. It is its owner’s own, or shared with the tenant; only its ' +
    'owner and managers of the tenant change it. Sharing needs the role tenant-user.',
  table: viewTable,
  owner: 'tenant',
  limit: 'maxViews',
  prepare: prepareView,
  beforeDelete: async (call, current) => refuseOthers(call, current),
});
