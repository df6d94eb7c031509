import type { TSchema } from 'typebox';
import { type ProblemCode, problems } from '../../model/errors.ts';
import { memberSchemas, Shape } from '../../model/schema.ts';
import { accessOf, allowedRoles } from './access.ts';
import { approvalRuleOf } from './approvalRuleOf.ts';
import { isWrite } from './authorize.ts';
import { type Endpoint, isBodyOptional } from './endpoint.ts';
import { exampleOf } from './exampleOf.ts';
import { operationIds } from './operationIds.ts';
import { pathOf } from './route.ts';
import { tagWords } from './tagWords.ts';

/** The OpenAPI 3.1 document: the second loop over the endpoints. */
export function toOpenApi(endpoints: readonly Endpoint[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  const idOf = operationIds(endpoints);
  const approval = endpoints.find(({ method, path }) => method === 'GET' && path === '/approval/{id}')?.reply;
  for (const endpoint of endpoints) {
    const path = pathOf(endpoint);
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operation(endpoint, idOf(endpoint), approval),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vigil',
      version,
      summary: 'Self-hosted, multi-tenant blockchain monitoring.',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({
      name,
      description: tagWords[name],
    })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token: from login, an API key, or the first administrator’s.',
        },
      },
      schemas: { Problem: problemSchema },
    },
  };
}

const about = `Every request carries \`Authorization: Bearer <token>\`, or the session
cookie of \`POST /auth/login\` and, unless it is a GET, the header \`X-Vigil-Console: 1\`. Bodies are JSON in UTF-8. Times are integer epoch
milliseconds unless said otherwise. Unknown members are refused. Errors are RFC 9457 problem details.

A record's answer has an \`ETag\`; \`If-Match\` on PUT and DELETE refuses the change when the record is no longer that one.
\`Idempotency-Key\` on a POST that creates makes the request safe to repeat for 24 hours; a reply with a secret is repeated to
the token that asked first, and other tokens of the tenant get 422. \`X-Request-Id\` is taken over or made,
and is part of every answer, log line and audit entry.`;

function operation(
  endpoint: Endpoint,
  operationId: string,
  approval: TSchema | undefined,
): Record<string, unknown> {
  const access = accessOf(endpoint);
  const roles = allowedRoles(access);
  const words = roles === 'public' ? 'Needs no token.' : `Roles: ${roles.join(', ')}.`;
  return {
    tags: [endpoint.tag],
    operationId,
    summary: endpoint.summary,
    description: [endpoint.description, words].filter(Boolean).join('\n\n'),
    ...(endpoint.deprecated ? { deprecated: true } : {}),
    security: roles === 'public' ? [] : [{ token: [] }],
    parameters: [
      ...parameters(endpoint, 'path'),
      ...parameters(endpoint, 'query'),
      ...headerParameters(endpoint),
    ],
    ...(endpoint.file
      ? {
          requestBody: {
            required: true,
            description: endpoint.file.description,
            content: {
              'application/octet-stream': { schema: { type: 'string' }, example: endpoint.file.example },
            },
          },
        }
      : {}),
    ...(endpoint.body
      ? {
          requestBody: {
            required: !isBodyOptional(endpoint),
            content: {
              'application/json': {
                schema: endpoint.body,
                example: endpoint.example ?? exampleOf(endpoint.body),
              },
            },
          },
        }
      : {}),
    responses: {
      [endpoint.status ?? 200]: {
        description: 'Done.',
        headers: replyHeaders(endpoint),
        content: {
          // Examples stand at the members.
          [mediaType(endpoint)]: { schema: endpoint.reply },
        },
        // As contents of their own they would make every reply `object | string` for generators.
        ...(endpoint.isExportable ? { 'x-exports': exported } : {}),
      },
      ...(endpoint.hasEtag
        ? { 304: { description: 'The record is still the one of `If-None-Match`.' } }
        : {}),
      ...(approval && approvalRuleOf(endpoint) !== 'never' ? { 202: held(approval) } : {}),
      ...problemResponses(endpoint, roles === 'public'),
    },
  };
}

function mediaType({ isStream, isLines }: Endpoint): string {
  if (isStream) return 'text/event-stream';
  return isLines ? 'application/x-ndjson' : 'application/json';
}

/** Formats that `Accept` may ask for beside JSON. */
const exported = {
  'text/csv': 'All that is found, as RFC 4180 with a row of names; see the parameter `columns`.',
  'application/x-ndjson': 'The same as JSON lines.',
};

function held(reply: TSchema) {
  return {
    description:
      'Kept for a second user, because the wallet behind it has `requireApproval`: `POST /approval/{id}/approve` carries it out.',
    content: { 'application/json': { schema: reply } },
  };
}

function parameters(endpoint: Endpoint, location: 'path' | 'query'): unknown[] {
  const schema = location === 'path' ? endpoint.params : endpoint.query;
  if (!schema) return [];
  const required = 'required' in schema && Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(memberSchemas(schema)).map(([name, member]) => ({
    name,
    in: location,
    required: required.includes(name),
    schema: member,
    description: 'description' in member ? member.description : undefined,
  }));
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', examples: [example] },
});

function headerParameters(endpoint: Endpoint): unknown[] {
  const id = header('X-Request-Id', 'Taken over into the answer, the log and the audit entry.', 'nightly-42');
  if (endpoint.effect === 'create') {
    return [id, header('Idempotency-Key', 'Makes the request safe to repeat for 24 hours.', 'a3f1c2d4')];
  }
  if (endpoint.problems?.includes('precondition-failed')) {
    return [id, header('If-Match', 'The ETag of the record as it was read.', '"Jx9"')];
  }
  if (endpoint.hasEtag)
    return [id, header('If-None-Match', 'The ETag of the record as it is known already.', '"Jx9"')];
  return [id];
}

function replyHeaders(endpoint: Endpoint): Record<string, unknown> {
  const text = (description: string) => ({ description, schema: { type: 'string' } });
  return {
    'X-Request-Id': text('The id of this request.'),
    RateLimit: text('What is left of the caller’s requests.'),
    'RateLimit-Policy': text('How many requests a caller may make.'),
    ...(endpoint.status === 201 ? { Location: text('The path of the new record.') } : {}),
    ...(endpoint.isExportable
      ? {
          'X-Export-Count': text('Of CSV and JSON lines: how many records follow.'),
          'X-Export-Truncated': text(
            'Of CSV and JSON lines: `rows` when more records match than are exported.',
          ),
        }
      : {}),
  };
}

/** Failures are listed by status; each names its codes. */
function problemResponses(endpoint: Endpoint, isPublic: boolean): Record<string, unknown> {
  const codes: ProblemCode[] = [
    'invalid-input',
    ...(isPublic ? [] : (['unauthenticated', 'forbidden'] as const)),
    ...(isWrite(endpoint.effect) && !isPublic ? (['tenant-disabled', 'subscription-expired'] as const) : []),
    // A body is read before it is known whether one is wanted.
    ...(endpoint.method === 'GET'
      ? []
      : (['malformed-json', 'too-large', 'unsupported-media-type'] as const)),
    ...(endpoint.effect === 'create' ? (['idempotency-in-flight', 'idempotency-mismatch'] as const) : []),
    ...(endpoint.problems ?? []),
    ...(isSearch(endpoint) ? (['search-too-slow', 'page-too-large'] as const) : []),
    'headers-too-large',
    'rate-limited',
    'internal',
    'unavailable',
  ];
  const responses: Record<string, unknown> = {};
  for (const code of codes) {
    const { status } = problems[code];
    const same = [...new Set(codes)].filter((sameStatus) => problems[sameStatus].status === status);
    responses[status] = {
      description: same.map((sameStatus) => `\`${sameStatus}\`: ${problems[sameStatus].title}.`).join(' '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    };
  }
  return responses;
}

/** A search has a limit of time and size; a query that is only stored, as by a stream, has none. */
function isSearch({ isReport, problems: codes = [] }: Endpoint): boolean {
  return isReport === true && (codes.includes('invalid-query') || codes.includes('invalid-where'));
}

const text = (description: string, example: string) => ({ type: 'string', description, examples: [example] });

const problemSchema = {
  ...Shape({}, []),
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
  properties: {
    type: text('Path of the page that explains this kind of problem.', '/docs/problem/invalid-input'),
    title: text('The kind of problem.', 'The request does not fit the endpoint'),
    status: { type: 'integer', description: 'The HTTP status.', examples: [400] },
    detail: text('What was wrong this time.', '/name: is required.'),
    instance: text('This occurrence.', 'urn:vigil:request:nightly-42'),
    code: {
      type: 'string',
      enum: Object.keys(problems),
      description: 'A stable word for the kind of problem.',
      examples: ['invalid-input'],
    },
    requestId: text('The id of the request.', 'nightly-42'),
    position: { type: 'integer', description: 'The 1-based column in `where` or `query`.', examples: [5] },
    limit: { type: 'integer', description: 'Limit of the plan.', examples: [25] },
    count: { type: 'integer', description: 'Present number of the tenant.', examples: [25] },
    errors: {
      type: 'array',
      description: 'Every fault that was found.',
      items: {
        type: 'object',
        description: 'One fault.',
        required: ['pointer', 'code', 'message'],
        additionalProperties: false,
        properties: {
          pointer: text(
            'JSON pointer to the member; /path, /query and /headers lead to what is outside of the body.',
            '/name',
          ),
          code: text('A stable word for the fault.', 'required'),
          message: text('What is wrong and what would be right.', 'is required.'),
        },
      },
    },
  },
};
