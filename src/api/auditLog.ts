import { Type } from 'typebox';
import { searchAudit } from '../store/audit.ts';
import { endpoint } from './endpoint.ts';
import { Id, JsonObject, List, Millis, nullable, Shape, Text } from './schema.ts';

type Query = {
  from?: number;
  size?: number;
  tenantId?: number;
  kind?: string;
  recordId?: number;
  since?: number;
  until?: number;
};

const entry = {
  seq: Id('Number of the entry in its chain.'),
  hash: Text('SHA-256 over the entry before and this one, in hex.', '9f86d081884c7d65'),
  at: Millis('When it happened.'),
  requestId: Text('The request that did it.', 'nightly-42'),
  tenantId: nullable(Id('The tenant whose chain it is in; null for the platform’s.')),
  actor: JsonObject('Token and user that did it.', { tokenId: 1, tokenKind: 'SESSION', userId: 1 }),
  action: Text('What happened.', 'wallet.create'),
  record: JsonObject('The record it happened to.', { kind: 'wallet', id: 1 }),
  changes: JsonObject('Every member that changed, before and after; never a secret.', {
    name: { before: 'a', after: 'b' },
  }),
};

export const auditEndpoint = endpoint({
  method: 'GET',
  path: '/audit',
  tag: 'Audit',
  summary: 'Read the audit log',
  description: 'Every change, newest first. The log is append-only and hash-chained per tenant.',
  query: Type.Unsafe<Query>(
    Shape(
      {
        from: Type.Integer({
          description: 'How many entries to skip.',
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          examples: [0],
        }),
        size: Type.Integer({
          description: 'How many entries to return.',
          minimum: 0,
          maximum: 10_000,
          default: 100,
          examples: [100],
        }),
        tenantId: Id('Only this tenant’s chain.'),
        kind: Text('Only this record kind.', 'wallet', { max: 100 }),
        recordId: Id('Only this record.'),
        since: Millis('Not before.'),
        until: Millis('Not after.'),
      },
      [],
    ),
  ),
  reply: Shape({ data: List(Shape(entry, Object.keys(entry)), 'Entries of this page.') }, ['data']),
  effect: 'read',
  handle: async (call, { query }) => ({
    body: {
      data: await searchAudit(call.db, call.scope, {
        ...query,
        from: query.from ?? 0,
        size: query.size ?? 100,
      }),
    },
  }),
});
