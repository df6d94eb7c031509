import { prepareRoute } from '../../../services/destinations/prepareRoute.ts';
import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { lockTree } from '../../../store/destinations/routes.ts';
import { escalationChainTable } from '../../../store/tables/escalationChainTable.ts';
import { routeTable } from '../../../store/tables/routeTable.ts';
import { timeSetTable } from '../../../store/tables/timeSetTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const route = defineResource({
  path: '/route',
  tag: 'Routes',
  about:
    'A tree by which alerts find destinations. Each alert begins at the root and goes to the first route below whose query finds it, ' +
    'from there to the first below that, and so on; with `continue` the next routes are asked too. What no route takes stays with the ' +
    'route above, so that the root says what happens otherwise. While the root is ACTIVE, bindings, default tags and rules of ' +
    'destinations send nothing; while it is DISABLED, the tree is a draft that `/route/try` knows. With `repeatSeconds`, alerts are ' +
    'repeated until someone acknowledges, resolves or retracts them, and each repeat is decided again by the routes of its moment.',
  table: routeTable,
  owner: 'tenant',
  limit: 'maxRoutes',
  references: {
    activeTimeSetId: timeSetTable,
    muteTimeSetId: timeSetTable,
    escalationChainId: escalationChainTable,
  },
  prepare: prepareRoute,
  beforeDelete: async (call, { id, tenantId }) => {
    await lockTree(call.db, tenantId);
    await refuseIfUsed(call, 'routes below a route', id, 'routes stand below it');
  },
});
