import { expect } from 'vitest';
import { createEndpoints, resources } from '../../../src/api/endpoints/endpoints.ts';
import type { Endpoint } from '../../../src/api/http/endpoint.ts';
import { pathOf } from '../../../src/api/http/route.ts';
import { toOpenApi } from '../../../src/api/http/toOpenApi.ts';
import type { Answer, Json, TestApi } from '../../../testing/startTestApi.ts';
import { faultsOf } from './schemas.ts';

export const endpoints: readonly Endpoint[] = createEndpoints(() => 1);
/** Create, read, change, delete and search of the records; the others are no part of this list. */
export const recordEndpoints = resources
  .flatMap(({ endpoints }) => endpoints)
  .filter(({ path }) => !path.includes('{uid}') && !path.endsWith('/batch'));
/** Many new records by one request. */
export const batchEndpoints = resources
  .flatMap(({ endpoints }) => endpoints)
  .filter(({ path }) => path.endsWith('/batch'));

const document: Json = toOpenApi(endpoints, 'test');

export const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/**
 * The same API, with every answer held to what the documents promise: a success fits the reply schema and has no
 * member that this does not declare, a failure is a complete problem, and no status comes that is not listed.
 */
export function observe(api: TestApi): TestApi {
  const call: TestApi['call'] = async (method, path, body, options) => {
    // A stream has no end to wait for unless it is asked to have one.
    const place = path.endsWith('alert/stream') ? `${path}?live=false` : path;
    const answer = await api.call(method, place, body, options);
    const faults = [...faultsOfAnswer(answer, endpointFor(method, path), method)];
    const request = () => `${method} ${path} ${String(options?.raw ?? JSON.stringify(body)).slice(0, 1000)}`;
    if (faults.length > 0)
      expect.fail(`${request()} got ${answer.text.slice(0, 1000)}: ${faults.join('; ')}`);
    return answer;
  };
  const ok: TestApi['ok'] = async (method, path, body, options) => {
    const answer = await call(method, path, body, options);
    if (answer.status >= 300) expect.fail(`${method} ${path} ${JSON.stringify(body)}: ${answer.text}`);
    return answer.body;
  };
  return { ...api, call, ok };
}

const patterns = endpoints.map((endpoint) => ({
  endpoint,
  statuses: new Set(Object.keys(operationOf(endpoint).responses)),
  pattern: new RegExp(`^${pathOf(endpoint).replace(/\{\w+\}/g, '[^/]*')}$`),
}));

type Known = (typeof patterns)[number];

function endpointFor(method: string, path: string): Known | undefined {
  const plain = (path.startsWith('/') ? path : `/api/v1/${path}`).replace(/\?.*$/s, '');
  const known = method === 'HEAD' ? 'GET' : method;
  const found = patterns.filter(({ endpoint, pattern }) => endpoint.method === known && pattern.test(plain));
  return found.find(({ endpoint }) => pathOf(endpoint) === plain) ?? found[0];
}

function* faultsOfAnswer(
  { status, headers, body, text }: Answer,
  known: Known | undefined,
  method: string,
): Iterable<string> {
  const type = headers.get('content-type');
  if (status >= 500) yield `status ${status}`;
  if (known && !known.statuses.has(String(status))) yield `status ${status} is not in the OpenAPI document`;
  if (method === 'HEAD') return;
  if (status < 300 && known) {
    const { isStream, isLines, reply } = known.endpoint;
    const expected = isStream ? 'text/event-stream' : isLines ? 'application/x-ndjson' : 'application/json';
    if (type !== `${expected}; charset=utf-8`) yield `content type ${type}`;
    if (isLines)
      for (const line of text.split('\n').filter(Boolean).slice(0, 20))
        yield* faultsOf(reply, JSON.parse(line));
    else yield* faultsOf(reply, isStream ? text : body);
  }
  if (status < 400) return;
  if (type !== 'application/problem+json; charset=utf-8') yield `content type ${type}`;
  yield* faultsOf(document.components.schemas.Problem, body);
  if (body.status !== status) yield `status ${status}, but ${body.status} in the body`;
  if (body.requestId !== headers.get('x-request-id')) yield 'requestId is not X-Request-Id';
  if (body.type !== `/docs/problem/${body.code}`) yield 'type and code differ';
}

function operationOf(endpoint: Endpoint): Json {
  return document.paths[pathOf(endpoint)][endpoint.method.toLowerCase()];
}
