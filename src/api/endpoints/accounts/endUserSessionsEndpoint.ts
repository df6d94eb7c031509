import { Count, Id, Shape } from '../../../model/schema.ts';
import { checkRank } from '../../../services/accounts/checkGrant.ts';
import { endSessionsOf } from '../../../services/accounts/sessions.ts';
import { findWritable } from '../../../services/records/findWritable.ts';
import type { RecordOf } from '../../../store/tables/table.ts';
import type { userTable } from '../../../store/tables/userTable.ts';
import { endpoint } from '../../http/endpoint.ts';
import { user } from './user.ts';

export const endUserSessionsEndpoint = endpoint({
  method: 'DELETE',
  path: '/user/{id}/session',
  tag: 'Users',
  summary: 'End all sessions of a user',
  description:
    'They end at once, without a new password; of your own the one that asks stays. API keys that the user has made live on.',
  params: Shape({ id: Id('The user.') }, ['id']),
  reply: Shape({ ended: Count('How many sessions have ended.', 2) }, ['ended']),
  effect: 'session',
  problems: ['not-found'],
  handle: async (call, { params }) => {
    const record = await findWritable(call, user.kind, params.id);
    const { id, tenantId, roles } = record as RecordOf<typeof userTable.fields>;
    checkRank(call, roles);
    return { body: { ended: await endSessionsOf(call, { id, tenantId }) } };
  },
});
