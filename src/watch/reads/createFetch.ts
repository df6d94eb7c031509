import type { ChainClient } from '../../chains/chainClient.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { zip } from '../../lib/zip.ts';
import type { Fetch, ReadRequest, ScriptPace } from '../../matching/createReadCache.ts';
import type { BlockRef } from '../../model/block.ts';
import type {
  Allocation,
  Funding,
  HttpRequest,
  HttpResult,
  Label,
  ScriptResult,
} from '../../model/detection.ts';
import type { OriginQuery } from '../../model/origin.ts';

/** The sources of reads; each takes a whole batch. */
export type ReadSources = {
  client: ChainClient;
  labels(addresses: readonly string[]): Promise<readonly Label[]>;
  funding(addresses: readonly string[]): Promise<ReadonlyMap<string, Funding>>;
  allocations(tenantId: number, contractId: number): Promise<readonly Allocation[]>;
  newestAlert(
    request: Extract<ReadRequest, { type: 'newestAlert' }>,
  ): Promise<{ uid: string; timestamp: number } | null>;
  scripts(
    tenantId: number,
    values: Readonly<Record<string, unknown>>,
    sources: readonly string[],
    pace?: ScriptPace,
  ): Promise<readonly (ScriptResult | undefined)[]>;
  http(request: HttpRequest, tenantId: number): Promise<HttpResult>;
};

type Indexed<T extends ReadRequest['type']> = { index: number; request: Extract<ReadRequest, { type: T }> };

/** Fetches what evaluations read: one batch per source and block instead of one read at a time. */
export function createFetch(sources: ReadSources): Fetch {
  return async (requests, pace) => {
    const results = Array.from<unknown>({ length: requests.length });
    const labels = indexed(requests, 'labels');
    const funding = indexed(requests, 'funding');
    const chainReads = groupBy(indexed(requests, 'chain'), ({ request }) => request.at.hash);
    const scripts = groupBy(
      indexed(requests, 'script'),
      ({ request: { tenantId, valuesKey } }) => `${tenantId} ${valuesKey}`,
    );
    await Promise.all([
      fetchNewest(sources, indexed(requests, 'newest'), results),
      ...Array.from(chainReads.values(), async (group) => {
        const reads = group.map(({ request }) => request.question);
        const values = await sources.client.readState(group[0].request.at, reads);
        for (const [{ index }, value] of zip(group, values)) results[index] = value;
      }),
      fetchWaiting(sources, indexed(requests, 'waiting'), results),
      ...indexed(requests, 'origin').map(async ({ index, request: { at: block, type: _type, ...query } }) => {
        results[index] = await fetchOrigin(sources, block, query);
      }),
      fetchLabels(sources, labels, results),
      fetchFunding(sources, funding, results),
      ...Array.from(scripts.values(), async (group) => {
        const { tenantId, values } = group[0].request;
        const code = group.map(({ request }) => request.source);
        const outcomes = await sources.scripts(tenantId, values, code, pace);
        for (const [{ index }, outcome] of zip(group, outcomes)) results[index] = outcome;
      }),
      ...indexed(requests, 'http').map(async ({ index, request }) => {
        results[index] = await sources.http(request.request, request.tenantId);
      }),
      ...indexed(requests, 'newestAlert').map(async ({ index, request }) => {
        results[index] = await sources.newestAlert(request);
      }),
      ...indexed(requests, 'allocations').map(async ({ index, request }) => {
        results[index] = await sources.allocations(request.tenantId, request.contractId);
      }),
    ]);
    return results;
  };
}

function indexed<T extends ReadRequest['type']>(requests: readonly ReadRequest[], type: T): Indexed<T>[] {
  return requests.flatMap((request, index) => (isOf(request, type) ? [{ index, request }] : []));
}

function isOf<T extends ReadRequest['type']>(
  request: ReadRequest,
  type: T,
): request is Extract<ReadRequest, { type: T }> {
  return request.type === type;
}

async function fetchNewest(
  { client }: ReadSources,
  requests: readonly Indexed<'newest'>[],
  results: unknown[],
): Promise<void> {
  if (requests.length === 0) return;
  const newest = await client.header('latest');
  const reads = requests.map(({ request }) => request.question);
  if (!newest) throw new Error('No node has a block.');
  const values = await client.readState(newest, reads);
  for (const [{ index }, value] of zip(requests, values)) results[index] = value;
}

/** A finding does without it, so nodes that do not answer hold up nothing. */
function fetchOrigin({ client }: ReadSources, block: BlockRef, query: OriginQuery) {
  return (
    client.findOrigin?.(block, query).catch((error: unknown) => ({ missing: messageOf(error) })) ?? {
      missing: 'the chain has none',
    }
  );
}

/** Nodes that do not answer are a fault of those who asked, and not of all that is read with it. */
async function fetchWaiting(
  { client }: ReadSources,
  requests: readonly Indexed<'waiting'>[],
  results: unknown[],
): Promise<void> {
  if (requests.length === 0) return;
  const answers = await client
    .findWaiting?.(requests.map(({ request }) => request))
    .catch((error: unknown) => ({ missing: messageOf(error) }));
  for (const [position, { index }] of requests.entries())
    results[index] = Array.isArray(answers)
      ? answers[position]
      : (answers ?? { missing: 'the chain has none' });
}

async function fetchLabels(
  sources: ReadSources,
  requests: readonly Indexed<'labels'>[],
  results: unknown[],
): Promise<void> {
  if (requests.length === 0) return;
  const labels = await sources.labels(requests.map(({ request }) => request.address));
  const byAddress = groupBy(labels, ({ address }) => address);
  for (const { index, request } of requests) results[index] = byAddress.get(request.address) ?? [];
}

async function fetchFunding(
  sources: ReadSources,
  requests: readonly Indexed<'funding'>[],
  results: unknown[],
): Promise<void> {
  if (requests.length === 0) return;
  const funding = await sources.funding(requests.map(({ request }) => request.address));
  for (const { index, request } of requests) results[index] = funding.get(request.address) ?? null;
}
