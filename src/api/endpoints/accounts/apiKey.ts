import { Type } from 'typebox';
import type { Role } from '../../../model/principal.ts';
import { Shape, Text } from '../../../model/schema.ts';
import { createApiKey } from '../../../services/accounts/createApiKey.ts';
import { apiKeyTable } from '../../../store/tables/apiKeyTable.ts';
import { readOnly, replySchema } from '../../../store/tables/fields.ts';
import { defineResource } from '../../http/defineResource.ts';
import { endpoint } from '../../http/endpoint.ts';

const resource = defineResource({
  path: '/apikey',
  tag: 'API keys',
  about: 'A token for programs. It ends with its lifetime, with its owner, or when it is deleted.',
  table: apiKeyTable,
  owner: 'anyone',
  without: ['create'],
  finish: async (call) => call.services.invalidateTokens(),
  beforeDelete: async (call) => call.services.invalidateTokens(),
});

const { label, tenantId, roles: keyRoles } = apiKeyTable.fields;
const token = readOnly(Text('The key. Keep it: it is not shown again.', 'vigil_key_…'), { notNull: true });

const create = endpoint({
  method: 'POST',
  path: '/apikey',
  tag: 'API keys',
  summary: 'Create an API key',
  description: 'The answer is the only place where the key itself is ever shown.',
  body: Type.Unsafe<{ label: string; lifetime?: number; tenantId?: number; roles: Role[] }>(
    Shape(
      {
        label: label.schema,
        lifetime: Type.Integer({
          description:
            'Seconds until the key ends: at most `apiKeyDays` of the plan, and as long if left out.',
          minimum: 1,
          maximum: 10 * 365 * 24 * 3600,
          examples: [86_400],
        }),
        tenantId: tenantId.schema,
        roles: keyRoles.schema,
      },
      ['label', 'roles'],
    ),
  ),
  reserved: new Set(['id', 'createdAt', 'updatedAt', 'status', 'userId', 'hint', 'expiredAt', 'token']),
  reply: replySchema({ ...apiKeyTable.fields, token }),
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
