import type { ChainClient } from '../chains/chainClient.ts';
import type { Fetch, ReadRequest, ScriptPace } from '../matching/createReadCache.ts';
import type {
  Allocation,
  Funding,
  HttpRequest,
  HttpResult,
  Label,
  ScriptResult,
} from '../model/detection.ts';

/** Where answers come from; each takes everything that is asked of it at once. */
export type ReadSources = {
  client: ChainClient;
  labels(addresses: readonly string[]): Promise<readonly Label[]>;
  funding(addresses: readonly string[]): Promise<ReadonlyMap<string, Funding>>;
  allocations(tenantId: number, contractId: number): Promise<readonly Allocation[]>;
  scripts(
    tenantId: number,
    values: Readonly<Record<string, unknown>>,
    sources: readonly string[],
    pace?: ScriptPace,
  ): Promise<readonly (ScriptResult | undefined)[]>;
  http(request: HttpRequest, tenantId: number): Promise<HttpResult>;
};

type Asked<T extends ReadRequest['type']> = { place: number; request: Extract<ReadRequest, { type: T }> };

/** Answers what evaluations ask for: one batch for each source and block instead of a question at a time. */
export function createFetch(sources: ReadSources): Fetch {
  return async (requests, pace) => {
    const answers = Array.from<unknown>({ length: requests.length });
    const of = <T extends ReadRequest['type']>(type: T): Asked<T>[] =>
      requests.flatMap((request, place) => (isOf(request, type) ? [{ place, request }] : []));
    await Promise.all([
      ...groups(of('chain'), ({ at }) => at.hash).map(async (group) => {
        const answered = await sources.client.readState(
          group[0]!.request.at,
          group.map(({ request }) => request.question),
        );
        for (const [n, { place }] of group.entries()) answers[place] = answered[n];
      }),
      readLabels(sources, of('labels'), answers),
      readFunding(sources, of('funding'), answers),
      ...groups(of('script'), ({ tenantId, valuesKey }) => `${tenantId} ${valuesKey}`).map(async (group) => {
        const results = await sources.scripts(
          group[0]!.request.tenantId,
          group[0]!.request.values,
          group.map(({ request }) => request.source),
          pace,
        );
        for (const [n, { place }] of group.entries()) answers[place] = results[n];
      }),
      ...of('http').map(async ({ place, request }) => {
        answers[place] = await sources.http(request.request, request.tenantId);
      }),
      ...of('allocations').map(async ({ place, request }) => {
        answers[place] = await sources.allocations(request.tenantId, request.contractId);
      }),
    ]);
    return answers;
  };
}

function isOf<T extends ReadRequest['type']>(
  request: ReadRequest,
  type: T,
): request is Extract<ReadRequest, { type: T }> {
  return request.type === type;
}

async function readLabels(
  sources: ReadSources,
  asked: readonly Asked<'labels'>[],
  answers: unknown[],
): Promise<void> {
  if (asked.length === 0) return;
  const labels = await sources.labels(asked.map(({ request }) => request.address));
  for (const { place, request } of asked)
    answers[place] = labels.filter(({ address }) => address === request.address);
}

async function readFunding(
  sources: ReadSources,
  asked: readonly Asked<'funding'>[],
  answers: unknown[],
): Promise<void> {
  if (asked.length === 0) return;
  const funding = await sources.funding(asked.map(({ request }) => request.address));
  for (const { place, request } of asked) answers[place] = funding.get(request.address) ?? null;
}

function groups<T extends ReadRequest['type']>(
  asked: readonly Asked<T>[],
  keyOf: (request: Asked<T>['request']) => string,
): Asked<T>[][] {
  const found = new Map<string, Asked<T>[]>();
  for (const item of asked) {
    const key = keyOf(item.request);
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  return [...found.values()];
}
