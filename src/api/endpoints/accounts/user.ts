import { checkRank } from '../../../services/accounts/checkGrant.ts';
import { finishUser, prepareUser } from '../../../services/accounts/prepareUser.ts';
import { refuseDuties } from '../../../services/onCall/refuseDuties.ts';
import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { revokeSessions } from '../../../store/accounts/tokens.ts';
import { userTable } from '../../../store/tables/userTable.ts';
import { defineResource, type Resource } from '../../http/defineResource.ts';

const resource = defineResource({
  path: '/user',
  tag: 'Users',
  about: 'A user belongs to one tenant and acts in it with its roles. Administrators belong to none.',
  table: userTable,
  owner: 'anyone',
  limit: 'maxUsers',
  prepare: prepareUser,
  finish: finishUser,
  beforeDelete: async (call, current) => {
    checkRank(call, current.roles);
    await refuseIfUsed(
      call,
      'wallets of an approver',
      current.id,
      'wallets name this user, who may be disabled instead, as an approver',
    );
    if (current.tenantId !== null) await refuseDuties(call, current.tenantId, { userId: current.id });
    await revokeSessions(call.db, current.id, call.now);
    call.services.invalidateTokens();
  },
});

export const user: Resource = {
  ...resource,
  endpoints: resource.endpoints.map((endpoint) =>
    endpoint.effect === 'create' || endpoint.method === 'PUT' ? { ...endpoint, password: 'set' } : endpoint,
  ),
};
