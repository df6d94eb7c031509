import { Type } from 'typebox';
import { Problem } from '../../../model/errors.ts';
import { everything, roles } from '../../../model/principal.ts';
import { Flag, Id, List, Millis, Name, nullable, OneOf, Shape, SomeOf, Text } from '../../../model/schema.ts';
import {
  changePassword,
  cookieExpiry,
  endSession,
  listSessions,
  login,
  logout,
  refresh,
  refreshCookie,
} from '../../../services/accounts/sessions.ts';
import { setUp } from '../../../services/accounts/setUp.ts';
import type { Call } from '../../../services/call.ts';
import { findPlanUse } from '../../../store/accounts/plans.ts';
import { hasSetupLink } from '../../../store/accounts/setupLinks.ts';
import { findTokenExpiry } from '../../../store/accounts/tokens.ts';
import { userTable } from '../../../store/accounts/userTable.ts';
import { searchRecords } from '../../../store/records/records.ts';
import { type Endpoint, endpoint, type Reply } from '../../http/endpoint.ts';
import { apiKey } from './apiKey.ts';
import { planUse } from './plan.ts';
import { user } from './user.ts';

const tag = 'Sessions';
const session = Shape(
  {
    token: Text('Access token of the session; absent when the cookie carries it.', 'vigil_session_…'),
    expiredAt: Millis('When the session ends.'),
  },
  ['expiredAt'],
);

/** The server accepts the new token whatever else comes from the address of its user. */
function toSessionReply(body: { token: string; expiredAt: number }): Reply {
  return { body, newToken: body.token };
}

/** Scripts of the page do not get the token. */
function toCookieReply({ token, expiredAt }: { token?: string; expiredAt: number }): Reply {
  const cookie = token === undefined ? { expiredAt } : { token, expiredAt };
  return { body: { expiredAt }, cookie, ...(token === undefined ? {} : { newToken: token }) };
}

function toOpenedReply(opened: { token: string; expiredAt: number }, cookie: boolean): Reply {
  return cookie ? toCookieReply(opened) : toSessionReply(opened);
}

/** A page of another origin must not sign a browser in as someone else. */
function refuseForeignCookie(cookie: boolean, isFromConsole: boolean): void {
  if (cookie && !isFromConsole)
    throw new Problem('console-header-missing', 'A session in a cookie needs the header X-Vigil-Console.');
}

const loginEndpoint = endpoint({
  method: 'POST',
  path: '/auth/login',
  tag,
  summary: 'Log in',
  description:
    'Opens a session of 12 hours; a user has at most 20, and the oldest ends when another one is opened. Attempts are limited ' +
    '(429): 100 from one address, then 10 a second; 5 from one address for one e-mail address, and beyond these 30 for that ' +
    'e-mail address from everywhere, then one a second. So guessing elsewhere keeps no user out. Failed attempts are in the ' +
    'audit log. An e-mail address may have a user in each of several tenants: the password decides, or `tenantId`. ' +
    'With `cookie` the token goes into an `HttpOnly`, `SameSite=Strict` cookie instead of the answer; requests that it ' +
    'authenticates need the header `X-Vigil-Console`, all but GET and HEAD.',
  body: Shape(
    {
      email: Text('E-mail address of the user, in capitals or not.', 'alice@example.com', {
        max: 254,
        format: 'email',
      }),
      tenantId: Id(
        'The tenant of the user, where the address has users in several; without it the oldest that fits.',
      ),
      password: Text('Password of the user.', 'correct horse battery', { max: 200 }),
      cookie: Flag('Whether a cookie carries the token, for pages that Vigil serves.'),
    },
    ['email', 'password'],
  ),
  reply: session,
  effect: 'session',
  password: 'check',
  problems: ['unauthenticated', 'console-header-missing'],
  handle: async (call, { body: { cookie, ...credentials }, isFromConsole }) => {
    refuseForeignCookie(cookie, isFromConsole);
    return toOpenedReply(await login(call, credentials), cookie);
  },
});

const setupStateEndpoint = endpoint({
  method: 'GET',
  path: '/auth/setup',
  tag,
  summary: 'Whether the first administrator is awaited',
  description: 'True from the first start until its set-up link is used or an hour has passed.',
  reply: Shape({ isOpen: Flag('Whether a set-up link is open.') }, ['isOpen']),
  effect: 'read',
  handle: async ({ db, now }) => ({ body: { isOpen: await hasSetupLink(db, now) } }),
});

const { email, password } = userTable.fields;

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
  reply: session,
  status: 201,
  effect: 'session',
  password: 'set',
  problems: ['not-found', 'conflict', 'console-header-missing'],
  handle: async (call, { body: { cookie = false, ...person }, isFromConsole }) => {
    refuseForeignCookie(cookie, isFromConsole);
    return toOpenedReply(await setUp(call, user.kind, person), cookie);
  },
});

const refreshEndpoint = endpoint({
  method: 'POST',
  path: '/auth/refresh',
  tag,
  summary: 'Refresh the session',
  description:
    'Gives the session a new token for 12 hours; the present one is used up. Refreshing with a token that was used up or ended ' +
    'before ends the whole session, because the token must have been copied. A session in a cookie keeps its token, which all ' +
    'tabs of the browser share, and lasts 12 hours from now.',
  reply: session,
  effect: 'session',
  endsReused: true,
  handle: async (call, { hasCookie }) =>
    hasCookie ? toCookieReply({ expiredAt: await refreshCookie(call) }) : toSessionReply(await refresh(call)),
});

const cookieEndpoint = endpoint({
  method: 'POST',
  path: '/auth/cookie',
  tag,
  summary: 'Sign a page in with a token',
  description:
    'Puts the token of the request, such as an API key, into the session cookie for 12 hours, or as long as it lives.',
  reply: session,
  effect: 'session',
  handle: async (call) => toCookieReply({ expiredAt: await cookieExpiry(call) }),
});

const logoutEndpoint = endpoint({
  method: 'POST',
  path: '/auth/logout',
  tag,
  summary: 'Log out',
  description: 'Ends the session at once, and its cookie; an API key in the cookie lives on.',
  reply: Shape({}, []),
  effect: 'session',
  handle: async (call, { hasCookie }) => {
    if (!hasCookie || call.principal.tokenKind === 'SESSION') await logout(call);
    return { body: {}, ...(hasCookie ? { cookie: null } : {}) };
  },
});

const meEndpoint = endpoint({
  method: 'GET',
  path: '/auth/me',
  tag,
  summary: 'Who am I',
  description: 'The user, tenant and roles behind the token, and the plan of the tenant with its use.',
  reply: Shape(
    {
      userId: nullable(Id('The user.')),
      tenantId: nullable(Id('The tenant.')),
      organisationId: nullable(Id('The organisation of the tenant.')),
      roles: SomeOf(roles, 'What the token may do.', ['tenant-manager']),
      tokenKind: OneOf(['SESSION', 'API_KEY', 'ADMIN'], 'What kind of token it is.', 'SESSION'),
      expiredAt: nullable(Millis('When the token ends; null when it never does.')),
      plan: nullable(planUse),
    },
    ['userId', 'tenantId', 'organisationId', 'roles', 'tokenKind', 'expiredAt', 'plan'],
  ),
  effect: 'read',
  handle: async ({ db, principal, now, services }) => {
    const { userId, tenantId, organisationId, roles, tokenKind, tokenId } = principal;
    const expiredAt = await findTokenExpiry(db, tokenId);
    const streams = services.alertFeed.slots.count(tenantId);
    const plan = tenantId === null ? null : await findPlanUse(db, tenantId, streams, now);
    return { body: { userId, tenantId, organisationId, roles, tokenKind, expiredAt, plan } };
  },
});

const sessionEntry = {
  id: Id('The session.'),
  createdAt: Millis('When the user logged in.'),
  refreshedAt: Millis('When it was last refreshed.'),
  expiredAt: Millis('When it ends if it is not refreshed.'),
  address: nullable(Text('Address it was last opened or refreshed from.', '203.0.113.7')),
  isCurrent: Flag('Whether it is the session that asks.'),
};

const sessionsEndpoint = endpoint({
  method: 'GET',
  path: '/auth/session',
  tag,
  summary: 'List my sessions',
  description: 'The live sessions of the user behind the token, newest first.',
  reply: Shape({ data: List(Shape(sessionEntry, Object.keys(sessionEntry)), 'Live sessions.') }, ['data']),
  effect: 'read',
  handle: async (call) => ({ body: { data: await listSessions(call) } }),
});

const endSessionEndpoint = endpoint({
  method: 'DELETE',
  path: '/auth/session/{sessionId}',
  tag,
  summary: 'End a session of mine',
  description: 'Ends the session at once; its token can neither be used nor refreshed any more.',
  params: Shape({ sessionId: Id('The session.') }, ['sessionId']),
  reply: Shape({ id: Id('The session that ended.') }, ['id']),
  effect: 'session',
  problems: ['not-found'],
  handle: async (call, { params }) => {
    await endSession(call, params.sessionId);
    return { body: { id: params.sessionId } };
  },
});

const keysReply = Shape(
  {
    data: List(apiKey.reply, 'API keys that the user has made and that still live.'),
  },
  ['data'],
);

async function ownKeys({ db, principal: { userId }, now }: Call) {
  if (userId === null) return { data: [] };
  const where = `userId = ${userId} and (expiredAt is null or expiredAt > ${now})`;
  const sort = [{ field: 'id', order: 'desc' } as const];
  const { table, names } = apiKey.kind;
  const { data } = await searchRecords(db, table, everything, { where, sort, size: 1000 }, names);
  return { data };
}

const keysEndpoint = endpoint({
  method: 'GET',
  path: '/auth/apikey',
  tag,
  summary: 'List the API keys I have made',
  description:
    'For review, above all after a change of the password: keys go on living, with the roles that their maker still has.',
  reply: keysReply,
  effect: 'read',
  handle: async (call) => ({ body: await ownKeys(call) }),
});

const passwordEndpoint = endpoint({
  method: 'POST',
  path: '/auth/password',
  tag,
  summary: 'Change my password',
  description:
    'Ends every other session of the user at once. API keys that the user has made go on living; the answer lists them for ' +
    'review. Managers and administrators reset the passwords of others by PUT /user/{id}.',
  body: Shape(
    {
      oldPassword: Text('The present password.', 'correct horse battery', { max: 200 }),
      newPassword: Type.Unsafe<string>({
        ...userTable.fields.password.schema,
        examples: ['another horse, another battery'],
      }),
    },
    ['oldPassword', 'newPassword'],
  ),
  reply: keysReply,
  effect: 'session',
  password: 'change',
  problems: ['unprocessable'],
  handle: async (call, { body }) => {
    await changePassword(call, body);
    return { body: await ownKeys(call) };
  },
});

export const sessionEndpoints: Endpoint[] = [
  loginEndpoint,
  setupStateEndpoint,
  setupEndpoint,
  refreshEndpoint,
  cookieEndpoint,
  logoutEndpoint,
  meEndpoint,
  sessionsEndpoint,
  endSessionEndpoint,
  keysEndpoint,
  passwordEndpoint,
];
