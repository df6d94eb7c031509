import { Type } from 'typebox';
import { roles } from '../../../model/principal.ts';
import { createApiKey } from '../../../services/accounts/createApiKey.ts';
import { apiKeyTable } from '../../../store/accounts/apiKeyTable.ts';
import { endpoint } from '../../http/endpoint.ts';
import { fixed, given, output } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, Millis, Name, Shape, SomeOf, Text } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

const label = Name('What the key is for.', 'ci');
const keyRoles = SomeOf(roles, 'What the key may do: roles that you hold yourself.', ['tenant-viewer'], 1);
const tenantId = Id('The tenant that the key acts in; your own if left out.');

const resource = defineResource({
  path: '/apikey',
  tag: 'API keys',
  noun: 'API key',
  about: 'A token for programs. It ends with its lifetime, with its owner, or when it is deleted.',
  table: apiKeyTable,
  owner: 'anyone',
  without: ['create'],
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: fixed(tenantId),
    userId: output(Id('The user who made the key.')),
    label: given(label),
    roles: output(keyRoles, { always: true }),
    hint: output(Text('The end of the key, to recognise it by.', '…x7Qk'), { always: true }),
    expiredAt: output(Millis('When the key ends; null if never.')),
  },
  finish: async (call) => call.services.forgetTokens(),
  beforeDelete: async (call) => call.services.forgetTokens(),
});

const shown = resource.endpoints.find(({ method }) => method === 'GET')!.reply as {
  properties: Record<string, ReturnType<typeof Text>>;
  required: string[];
};

const create = endpoint({
  method: 'POST',
  path: '/apikey',
  tag: 'API keys',
  summary: 'Create an API key',
  description: 'The answer is the only place where the key itself is ever shown.',
  body: Type.Unsafe<{ label: string; lifetime?: number; tenantId?: number; roles: (typeof roles)[number][] }>(
    Shape(
      {
        label,
        lifetime: Type.Integer({
          description: 'Seconds until the key ends; never if left out.',
          minimum: 1,
          maximum: 10 * 365 * 24 * 3600,
          examples: [86_400],
        }),
        tenantId,
        roles: keyRoles,
      },
      ['label', 'roles'],
    ),
  ),
  reserved: new Set(['id', 'createdAt', 'updatedAt', 'status', 'userId', 'hint', 'expiredAt', 'token']),
  reply: Shape(
    { ...shown.properties, token: Text('The key. Keep it: it is not shown again.', 'vigil_key_…') },
    [...shown.required, 'token'],
  ),
  status: 201,
  effect: 'create',
  problems: ['plan-limit', 'unprocessable'],
  handle: async (call, { body }) => {
    const { record, token } = await createApiKey(call, resource.kind, body);
    return {
      body: { ...record, token },
      isSecret: true,
      etagOf: record,
      headers: { location: `/api/v1/apikey/${String(record.id)}` },
    };
  },
});

export const apiKey = { ...resource, endpoints: [create, ...resource.endpoints] };
