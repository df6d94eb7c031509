import { type Role, roles } from '../../../model/principal.ts';
import { checkRank } from '../../../services/accounts/checkGrant.ts';
import { finishUser, prepareUser } from '../../../services/accounts/prepareUser.ts';
import { revokeSessions } from '../../../store/accounts/tokens.ts';
import { userTable } from '../../../store/accounts/userTable.ts';
import { fixed, given, hidden, output } from '../../http/fields.ts';
import { defineResource, type Resource } from '../../http/resource.ts';
import { Id, Name, SomeOf, Text } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

export const password = Text(
  '12 to 200 characters; never shown. Common passwords and those made of rows, repetitions or own names are refused.',
  'correct horse battery',
  { min: 12, max: 200 },
);

const resource = defineResource({
  path: '/user',
  tag: 'Users',
  noun: 'user',
  about: 'A user belongs to one tenant and acts in it with its roles. Administrators belong to none.',
  table: userTable,
  owner: 'anyone',
  limit: 'maxUsers',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: fixed(Id('The tenant of the user; none for an administrator.')),
    organisationId: output(Id('The organisation of that tenant.')),
    email: given(
      Text(
        'Unique in the tenant, kept in lower case; the user logs in with it. A new one needs a new `password` along with it.',
        'alice@example.com',
        { max: 254, format: 'email' },
      ),
      {
        required: true,
      },
    ),
    name: given(Name('How the user is called.', 'Alice')),
    roles: given(SomeOf(roles, 'What the user may do.', ['tenant-manager'], 1), { required: true }),
    password: hidden(password),
  },
  prepare: prepareUser,
  finish: finishUser,
  beforeDelete: async (call, current) => {
    checkRank(call, current.roles as Role[]);
    await revokeSessions(call.db, Number(current.id), call.now);
    call.services.forgetTokens();
  },
});

export const user: Resource = {
  ...resource,
  endpoints: resource.endpoints.map((endpoint) =>
    endpoint.effect === 'create' || endpoint.method === 'PUT' ? { ...endpoint, password: 'set' } : endpoint,
  ),
};
