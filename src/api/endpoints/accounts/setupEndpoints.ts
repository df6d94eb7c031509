import { Type } from 'typebox';
import { Flag, Name, Shape, Text } from '../../../model/schema.ts';
import { setUp } from '../../../services/accounts/setUp.ts';
import { awaitsFirstUser } from '../../../store/accounts/setupLinks.ts';
import { userTable } from '../../../store/tables/userTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { refuseForeignCookie, sessionReply, toOpenedReply } from './sessionReplies.ts';
import { user } from './user.ts';

const tag = 'Sessions';
const { email, password } = userTable.fields;

const setupStateEndpoint = endpoint({
  method: 'GET',
  path: '/auth/setup',
  tag,
  summary: 'Ask if the first user is awaited',
  description:
    'True from the first start until there is a user or an hour has passed; meanwhile the console shows only the set-up page.',
  reply: Shape({ isOpen: Flag('Whether a set-up link is open and no one can sign in yet.') }, ['isOpen']),
  effect: 'read',
  handle: async ({ db, now }) => ({ body: { isOpen: await awaitsFirstUser(db, now) } }),
});

const setupEndpoint = endpoint({
  method: 'POST',
  path: '/auth/setup',
  tag,
  summary: 'Make the first administrator',
  description:
    'With the code of the link that the first start prints, which works once and for an hour. The answer is that of a login.',
  body: Type.Unsafe<{ code: string; name: string; email: string; password: string; cookie?: boolean }>(
    Shape(
      {
        code: Text('What follows # in the link.', 'vigil_setup_…', { max: 200 }),
        name: Name('How the administrator is called.', 'Alice'),
        email: email.schema,
        password: password.schema,
        cookie: Flag('Whether a cookie carries the token, for pages that Vigil serves.'),
      },
      ['code', 'name', 'email', 'password'],
    ),
  ),
  reply: sessionReply,
  status: 201,
  effect: 'session',
  password: 'set',
  problems: ['not-found', 'conflict', 'console-header-missing'],
  handle: async (call, { body: { cookie = false, ...person }, isFromConsole }) => {
    refuseForeignCookie(cookie, isFromConsole);
    return toOpenedReply(await setUp(call, user.kind, person), cookie);
  },
});

/** The first administrator. */
export const setupEndpoints: readonly Endpoint[] = [setupStateEndpoint, setupEndpoint];
