import { createToken } from '../../../lib/token.ts';
import { Flag, Id, List, Millis, nullable, Shape, Text } from '../../../model/schema.ts';
import {
  cookieExpiry,
  endSession,
  listSessions,
  login,
  logout,
  noteOwnDevice,
  refresh,
  refreshCookie,
} from '../../../services/accounts/sessions.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import {
  refuseForeignCookie,
  sessionReply,
  toCookieReply,
  toOpenedReply,
  toSessionReply,
} from './sessionReplies.ts';

const tag = 'Sessions';

const loginEndpoint = endpoint({
  method: 'POST',
  path: '/auth/login',
  tag,
  summary: 'Log in',
  description:
    'Opens a session of 12 hours, which can be refreshed until it is 7 days old (`VIGIL_SESSION_MAX_DAYS`); a user has at most 20, and the oldest ends when another one is opened. Attempts are limited ' +
    '(429): 100 from one address, then 10 a second; 5 from one address for one e-mail address, and beyond these 30 for that ' +
    'e-mail address from everywhere, then one a second. So guessing elsewhere keeps no user out. Failed attempts are in the ' +
    'audit log. An e-mail address may have a user in each of several tenants: the password decides, or `tenantId`. ' +
    'With `cookie` the token goes into an `HttpOnly`, `SameSite=Strict` cookie instead of the answer; requests that it ' +
    'authenticates need the header `X-Vigil-Console`, all but GET and HEAD. A second cookie, `vigil_device`, tells this browser ' +
    'from others: two users who signed in with one cannot approve for each other.',
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
  reply: sessionReply,
  effect: 'session',
  password: 'check',
  problems: ['unauthenticated', 'console-header-missing'],
  handle: async (call, { body: { cookie, ...credentials }, isFromConsole, device: givenDevice }) => {
    refuseForeignCookie(cookie, isFromConsole);
    const device = givenDevice ?? (cookie ? createToken('device') : undefined);
    return toOpenedReply(await login(call, credentials, device), cookie, device);
  },
});

const refreshEndpoint = endpoint({
  method: 'POST',
  path: '/auth/refresh',
  tag,
  summary: 'Refresh the session',
  description:
    'Gives the session a new token for 12 hours, and none once it is 7 days old (`VIGIL_SESSION_MAX_DAYS`); the present one is ' +
    'used up. Refreshing with a token that was used up or ended ' +
    'before ends the whole session, because the token must have been copied. A session in a cookie keeps its token, which all ' +
    'tabs of the browser share, and lasts 12 hours from now, within the same bound.',
  reply: sessionReply,
  effect: 'session',
  endsReused: true,
  handle: async (call, { hasCookie, device }) => {
    if (!hasCookie) return toSessionReply(await refresh(call));
    await noteOwnDevice(call, device);
    return toCookieReply({ expiredAt: await refreshCookie(call) }, device);
  },
});

const cookieEndpoint = endpoint({
  method: 'POST',
  path: '/auth/cookie',
  tag,
  summary: 'Sign a page in with a token',
  description:
    'Puts the token of the request, such as an API key, into the session cookie for 12 hours, or as long as it lives.',
  reply: sessionReply,
  effect: 'session',
  handle: async (call, { device = createToken('device') }) => {
    await noteOwnDevice(call, device);
    return toCookieReply({ expiredAt: await cookieExpiry(call) }, device);
  },
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

export const sessionEndpoints: readonly Endpoint[] = [
  loginEndpoint,
  refreshEndpoint,
  cookieEndpoint,
  logoutEndpoint,
  sessionsEndpoint,
  endSessionEndpoint,
];
