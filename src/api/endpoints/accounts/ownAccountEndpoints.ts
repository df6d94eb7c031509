import { Type } from 'typebox';
import { everything, keyRoles } from '../../../model/principal.ts';
import { Flag, Id, List, Millis, nullable, OneOf, Shape, SomeOf, Text } from '../../../model/schema.ts';
import { changePassword } from '../../../services/accounts/sessions.ts';
import type { Call } from '../../../services/call.ts';
import { findPlanUse } from '../../../store/accounts/plans.ts';
import { findTokenFacts } from '../../../store/accounts/tokens.ts';
import { searchRecords } from '../../../store/records/records.ts';
import { userTable } from '../../../store/tables/userTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { apiKey } from './apiKey.ts';
import { planUse } from './plan.ts';

const tag = 'Sessions';

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
      name: nullable(
        Text('How the user is called, else the e-mail address; of a key what it is for.', 'Alice'),
      ),
      tenantName: nullable(Text('What the tenant is called.', 'Acme Security')),
      roles: SomeOf(keyRoles, 'What the token may do.', ['tenant-manager']),
      tokenKind: OneOf(['SESSION', 'API_KEY', 'ADMIN'], 'What kind of token it is.', 'SESSION'),
      expiredAt: nullable(Millis('When the token ends; null when it never does.')),
      plan: nullable(planUse),
      installation: Shape(
        {
          mail: Flag('Whether Vigil sends mails here.'),
          messengerAName: nullable(
            Text('What the operator calls the messenger of MESSENGER_A, by VIGIL_MESSENGER_A_NAME.', 'Chat'),
          ),
          messengerBName: nullable(Text('The same for MESSENGER_B.', 'Team chat')),
        },
        ['mail', 'messengerAName', 'messengerBName'],
        'What this installation offers.',
      ),
    },
    [
      'userId',
      'tenantId',
      'organisationId',
      'name',
      'tenantName',
      'roles',
      'tokenKind',
      'expiredAt',
      'plan',
      'installation',
    ],
  ),
  effect: 'read',
  handle: async ({ db, principal, now, services }) => {
    const { userId, tenantId, organisationId, roles, tokenKind, tokenId } = principal;
    const { expiredAt, name, tenantName } = await findTokenFacts(db, tokenId);
    const streams = services.alertFeed.slots.count(tenantId);
    const plan = tenantId === null ? null : await findPlanUse(db, tenantId, streams, now);
    const names = { name, tenantName };
    const { mail, messengerNames } = services;
    const installation = { mail, messengerAName: messengerNames.a, messengerBName: messengerNames.b };
    return {
      body: { userId, tenantId, organisationId, ...names, roles, tokenKind, expiredAt, plan, installation },
    };
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

/** Endpoints for callers' own accounts. */
export const ownAccountEndpoints: readonly Endpoint[] = [meEndpoint, keysEndpoint, passwordEndpoint];
