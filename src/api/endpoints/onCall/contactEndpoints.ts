import { Type } from 'typebox';
import { unprocessable } from '../../../model/errors.ts';
import { Id, List, Millis, nullable, Shape, Text } from '../../../model/schema.ts';
import { changeContact, readContacts } from '../../../services/onCall/contacts.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const tag = 'On call';
const destinationIds = Type.Array(Id('A destination of the tenant.'), {
  description:
    'The destinations that call the user, all at once. Empty: by mail, to the confirmed destination with the address of the user.',
  maxItems: 10,
  uniqueItems: true,
  examples: [[1]],
});
const contact = {
  userId: Id('The user.'),
  name: Text('Name, or e-mail address where there is none.', 'Alice'),
  email: Text('E-mail address.', 'alice@example.com'),
  destinationIds,
  updatedAt: nullable(Millis('When it last changed; null if it never was set.')),
};
const reply = Shape(contact, Object.keys(contact));

/** The contacts of users, by which schedules and chains call them. */
export const contactEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/contact',
    tag,
    summary: 'List who can be put on call',
    description: 'The active users of the tenant, and how each is called.',
    query: Type.Unsafe<{ tenantId?: number }>(
      Shape({ tenantId: Id('The tenant; your own if left out.') }, []),
    ),
    reply: Shape({ contacts: List(reply, 'The users by name, at most 1000.') }, ['contacts']),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { query }) => ({ body: { contacts: await readContacts(call, query.tenantId) } }),
  }),
  endpoint({
    method: 'PUT',
    path: '/contact',
    tag,
    summary: 'Set how you are called',
    description: 'For the user of the token; managers set the contacts of others with `/user/{id}/contact`.',
    body: Shape({ destinationIds }, ['destinationIds']),
    reply,
    effect: 'change',
    problems: ['not-found', 'conflict', 'unprocessable'],
    handle: async (call, { body }) => {
      const { userId } = call.principal;
      if (userId === null)
        throw unprocessable('', 'no-user', 'The token belongs to no user who could be called.');
      return { body: await changeContact(call, userId, body.destinationIds) };
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/user/{id}/contact',
    tag,
    summary: 'Set how a user is called',
    description: 'For managers of the tenant; users set their own with `PUT /contact`.',
    params: Shape({ id: Id('The user.') }, ['id']),
    body: Shape({ destinationIds }, ['destinationIds']),
    reply,
    effect: 'change',
    problems: ['not-found', 'conflict', 'unprocessable'],
    handle: async (call, { params, body }) => ({
      body: await changeContact(call, params.id, body.destinationIds),
    }),
  }),
];
