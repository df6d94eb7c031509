import { prepareChain } from '../../../services/onCall/prepareChain.ts';
import { refuseDuties } from '../../../services/onCall/refuseDuties.ts';
import { escalationChainTable } from '../../../store/tables/escalationChainTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const escalationChain = defineResource({
  path: '/escalationchain',
  tag: 'On call',
  about:
    'Who is called one after the other until someone acknowledges or resolves the incident: users, anyone who is on call by a schedule, or ' +
    'destinations, each with a time to wait. A step that reaches no one, or whose destinations fail twice, passes to the next one at ' +
    'once. A chain that runs goes on with the steps that it began with.',
  table: escalationChainTable,
  owner: 'tenant',
  limit: 'maxEscalationChains',
  prepare: prepareChain,
  beforeDelete: async (call, { id, tenantId }) => refuseDuties(call, tenantId, { escalationChainId: id }),
});
