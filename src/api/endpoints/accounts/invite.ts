import { Type } from 'typebox';
import type { Role } from '../../../model/principal.ts';
import { Id, Name, Shape, Text } from '../../../model/schema.ts';
import { acceptInvite } from '../../../services/accounts/acceptInvite.ts';
import { createInvite } from '../../../services/accounts/createInvite.ts';
import { inviteTable } from '../../../store/tables/inviteTable.ts';
import { userTable } from '../../../store/tables/userTable.ts';
import { defineResource } from '../../http/defineResource.ts';
import { endpoint } from '../../http/endpoint.ts';
import { user } from './user.ts';

const resource = defineResource({
  path: '/invite',
  tag: 'Invites',
  about: 'An invite lets someone become a user of the tenant.',
  table: inviteTable,
  owner: 'anyone',
  limit: 'maxInvites',
  without: ['create', 'update'],
});

const { email, roles: invitedRoles } = inviteTable.fields;

const create = endpoint({
  method: 'POST',
  path: '/invite',
  tag: 'Invites',
  summary: 'Invite a user',
  description:
    'The invite is sent by mail. Where no mail server is configured, the answer carries the accept link instead, which is ' +
    '`url` with the parameter `invite`, in the header `X-Invite-Accept-Link`, for its maker to pass on. It replaces an open ' +
    'invite for the same address in the tenant, and is worth no more than its maker: when the maker is disabled or deleted or ' +
    'could not grant these roles any more, it cannot be accepted.',
  body: Type.Unsafe<{
    roles: Role[];
    url: string;
    tenantId?: number;
    organisationId?: number;
    email: string;
  }>(
    Shape(
      {
        roles: invitedRoles.schema,
        url: Text(
          'The page that accepts the invite; it is placed into the mail. Any http or https address; VIGIL_INVITE_ORIGINS restricts it to the origins that the operator names.',
          'https://console.example.com/accept',
          {
            min: 1,
            max: 2000,
            pattern: '^https?.*',
          },
        ),
        tenantId: Id('The tenant that the user will belong to; your own if left out.'),
        organisationId: Id('The organisation of that tenant.'),
        email: email.schema,
      },
      ['roles', 'url', 'email'],
    ),
  ),
  reserved: new Set(['id', 'createdAt', 'updatedAt', 'expiredAt']),
  reply: resource.reply,
  status: 201,
  effect: 'create',
  problems: ['conflict', 'unprocessable', 'plan-limit'],
  handle: async (call, { body }) => {
    const { record, link } = await createInvite(call, resource.kind, body);
    return {
      body: record,
      etagOf: record,
      isSecret: link !== undefined,
      headers: {
        location: `/api/v1/invite/${String(record.id)}`,
        ...(link === undefined ? {} : { 'x-invite-accept-link': link }),
      },
    };
  },
});

const accept = endpoint({
  method: 'POST',
  path: '/invite/{uid}/accept',
  tag: 'Invites',
  summary: 'Accept an invite',
  description:
    'The invited user sets a name and a password, and can log in from then on. An invite can be accepted once.',
  params: Shape({ uid: Text('The secret of the accept link.', 'vigil_invite_…', { max: 200 }) }, ['uid']),
  body: Shape({ name: Name('How the user is called.', 'Bob'), password: userTable.fields.password.schema }, [
    'name',
    'password',
  ]),
  reply: user.reply,
  status: 201,
  effect: 'change',
  password: 'set',
  problems: ['not-found', 'conflict', 'plan-limit', 'tenant-disabled', 'subscription-expired'],
  handle: async (call, { params, body }) => {
    const record = await acceptInvite(call, user.kind, params.uid, body);
    return { body: record, etagOf: record };
  },
});

export const invite = { ...resource, endpoints: [create, ...resource.endpoints, accept] };
