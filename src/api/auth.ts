import { roles } from '../model/principal.ts';
import { login, logout, refresh } from '../services/sessions.ts';
import { findPlanUse } from '../store/plans.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { planUse } from './resources/plan.ts';
import { Id, Millis, nullable, OneOf, Shape, SomeOf, Text } from './schema.ts';

const tag = 'Sessions';
const session = Shape(
  {
    token: Text('Access token of the session.', 'vigil_session_…'),
    expiredAt: Millis('When the session ends.'),
  },
  ['token', 'expiredAt'],
);

const loginEndpoint = endpoint({
  method: 'POST',
  path: '/auth/login',
  tag,
  summary: 'Log in',
  description:
    'Opens a session of 12 hours. After 100 attempts from one address, or 30 with one e-mail address, only a few more ' +
    'are let through (429).',
  body: Shape(
    {
      email: Text('E-mail address of the user.', 'alice@example.com', { max: 254 }),
      password: Text('Password of the user.', 'correct horse battery', { max: 200 }),
    },
    ['email', 'password'],
  ),
  reply: session,
  effect: 'session',
  password: 'check',
  problems: ['unauthenticated'],
  handle: async (call, { body }) => ({ body: await login(call, body.email, body.password) }),
});

const refreshEndpoint = endpoint({
  method: 'POST',
  path: '/auth/refresh',
  tag,
  summary: 'Refresh the session',
  description: 'Opens a new session of 12 hours and ends the present one.',
  reply: session,
  effect: 'session',
  handle: async (call) => ({ body: await refresh(call) }),
});

const logoutEndpoint = endpoint({
  method: 'POST',
  path: '/auth/logout',
  tag,
  summary: 'Log out',
  description: 'Ends the session at once.',
  reply: Shape({}, []),
  effect: 'session',
  handle: async (call) => {
    await logout(call);
    return { body: {} };
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
      plan: nullable(planUse),
    },
    ['userId', 'tenantId', 'organisationId', 'roles', 'tokenKind', 'plan'],
  ),
  effect: 'read',
  handle: async ({ db, principal, now }) => {
    const { userId, tenantId, organisationId, roles, tokenKind } = principal;
    const plan = tenantId === null ? null : await findPlanUse(db, tenantId, now);
    return { body: { userId, tenantId, organisationId, roles, tokenKind, plan } };
  },
});

export const authEndpoints: Endpoint[] = [loginEndpoint, refreshEndpoint, logoutEndpoint, meEndpoint];
