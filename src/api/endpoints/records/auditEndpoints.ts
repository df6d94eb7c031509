import { Type } from 'typebox';
import { Id, JsonObject, List, Millis, nullable, Shape, Text } from '../../../model/schema.ts';
import { searchAudit } from '../../../store/records/audit.ts';
import { createCheckpoint } from '../../../store/records/auditCheckpoint.ts';
import { streamAudit } from '../../../store/records/streamAudit.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

type Filter = {
  tenantId?: number;
  kind?: string;
  recordId?: number;
  since?: number;
  until?: number;
};
type Query = Filter & { from?: number; size?: number };

const filter = {
  tenantId: Id('Only this tenant’s chain.'),
  kind: Text('Only this record kind.', 'wallet', { max: 100 }),
  recordId: Id('Only this record.'),
  since: Millis('Not before.', 1_792_108_800_000),
  until: Millis('Not after.'),
};

const entry = {
  seq: Id('Number of the entry in its chain.'),
  hash: Text('HMAC-SHA-256 over the hash before and this entry, in hex.', '9f86d081884c7d65'),
  keyId: nullable(
    Id('The key of the hash; null in entries from before there were keys, whose hash is a plain SHA-256.'),
  ),
  at: Millis('When it happened.'),
  requestId: Text('The request that did it.', 'nightly-42'),
  tenantId: nullable(Id('The tenant whose chain it is in; null for the platform’s.')),
  actor: JsonObject('Token and user that did it, and the address it came from.', {
    tokenId: 1,
    tokenKind: 'SESSION',
    userId: 1,
    address: '203.0.113.7',
  }),
  action: Text('What happened.', 'wallet.create'),
  record: JsonObject('The record it happened to.', { kind: 'wallet', id: 1 }),
  changes: JsonObject('Every member that changed, before and after; never a secret.', {
    name: { before: 'a', after: 'b' },
  }),
};

const searchEndpoint = endpoint({
  method: 'GET',
  path: '/audit',
  tag: 'Audit',
  summary: 'Read the audit log',
  description:
    'Every change and every refused login, newest first. The log is append-only; the entries of a tenant form a chain of ' +
    'hashes that are keyed by the master key.',
  query: Type.Unsafe<Query>(
    Shape(
      {
        from: Type.Integer({
          description: 'Number of entries to skip.',
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          examples: [0],
        }),
        size: Type.Integer({
          description: 'Number of entries to return.',
          minimum: 0,
          maximum: 10_000,
          default: 100,
          examples: [100],
        }),
        ...filter,
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

const exportEndpoint = endpoint({
  method: 'GET',
  path: '/audit/export',
  tag: 'Audit',
  summary: 'Export the audit log',
  description:
    'The whole log, or what the parameters leave of it, as JSON lines: chain by chain, oldest entry first.',
  query: Type.Unsafe<Filter>(Shape(filter, [])),
  reply: Shape(entry, Object.keys(entry)),
  effect: 'read',
  isLines: true,
  handle: async (call, { query }) => ({ stream: { pieces: streamAudit(call.db, call.scope, query) } }),
});

const checkpointEndpoint = endpoint({
  method: 'GET',
  path: '/audit/checkpoint',
  tag: 'Audit',
  summary: 'Get a signed checkpoint of the audit log',
  description:
    'States number, hash and time of the last entry of each chain that you may read. Keep it elsewhere: ' +
    '`vigil audit verify --checkpoint FILE` later proves that nothing before it was changed or cut off.',
  reply: Shape(
    {
      // As long as there are tenants.
      payload: Type.String({
        description:
          'The statement as JSON text: `at`, `keyId` and `chains`, each with `tenantId` (null for the platform’s), `seq`, `hash` and `at`.',
        examples: [
          '{"at":1700000000000,"keyId":1,"chains":[{"tenantId":1,"seq":12,"hash":"9f86d081884c7d65","at":1700000000000}]}',
        ],
      }),
      publicKey: Text(
        'Ed25519 public key in PEM. It changes when the master key is rotated.',
        '-----BEGIN PUBLIC KEY-----…',
      ),
      signature: Text('Ed25519 signature over the bytes of `payload`, in base64.', 'oR4…'),
    },
    ['payload', 'publicKey', 'signature'],
  ),
  effect: 'read',
  handle: async ({ db, scope, services, now }) => ({
    body: await createCheckpoint(db, services.keyring.audit, scope, now),
  }),
});

export const auditEndpoints: Endpoint[] = [searchEndpoint, exportEndpoint, checkpointEndpoint];
