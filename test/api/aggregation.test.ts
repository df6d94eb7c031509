import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { randomQuery } from '../support/randomAlerts.ts';
import { type AggregatedAlerts, createAggregatedAlerts, end, found } from './support/aggregatedAlerts.ts';
import { type Item, matching, naiveAggregate } from './support/naiveAggregate.ts';
import { randomItems } from './support/randomItems.ts';

let api: TestApi;
let alerts: AggregatedAlerts;

const day = 86_400_000;

beforeAll(async () => {
  api = await startTestApi();
  alerts = await createAggregatedAlerts(api, 900);
});
afterAll(() => api.stop());

const aggregate = (body: Json, path = 'alert/aggregation', token = alerts.viewer) =>
  api.call('POST', path, body, { token });

/** Sums of fractions may differ in their last digits, which depend on the order. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member) =>
    typeof member === 'number' ? Number(member.toPrecision(12)) : member,
  );
}

function countBuckets(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const here = 'buckets' in value && Array.isArray(value.buckets) ? value.buckets.length : 0;
  return Object.values(value).reduce((sum: number, member) => sum + countBuckets(member), here);
}

async function expectRight(
  aggregation: Item[],
  more: Json = {},
  { of = alerts.visible, path = 'alert/aggregation', token = alerts.viewer } = {},
): Promise<void> {
  const answer = await aggregate({ aggregation, ...more }, path, token);
  const matched = found(of, more.query);
  const right = naiveAggregate(matched, aggregation);
  const request = JSON.stringify({ aggregation, ...more });
  if (countBuckets(right) > 10_000) {
    expect(answer.body.errors?.[0].code, request).toBe('too-many-buckets');
    return;
  }
  expect(answer.status, `${request}: ${answer.text}`).toBe(200);
  expect(rounded(answer.body.data), request).toEqual(rounded(right));
  expect(answer.body.total, request).toBe(matched.length);
}

/** A query without a fault; `now` would be another for the server. */
function readableQuery(random: Random): string {
  for (;;) {
    const query = randomQuery(random);
    if (!query.includes('now') && isReadable(query)) return query;
  }
}

function isReadable(query: string): boolean {
  try {
    matching([], query);
    return true;
  } catch {
    return false;
  }
}

describe('an aggregation', () => {
  it('computes every kind over every sort of field as a plain computation does', async () => {
    const measures = ['min', 'max', 'avg', 'sum', 'stats', 'percentiles'];
    const measurable = [
      'numericSeverity',
      'timestamp',
      'blockNumber',
      'meta.amount',
      'meta.many',
      'meta.mixed',
      'meta.rows.n',
      'meta.value',
    ];
    const others = ['severity', 'name.keyword', 'tags', 'suppressed', 'txHash', 'meta.nested.list.keyword'];
    const metrics = (field: string) => [
      'count',
      'cardinality',
      'missing',
      ...(measurable.includes(field) ? measures : []),
    ];
    for (const field of [...measurable, ...others]) {
      await expectRight([
        { name: 'alone', field, aggregation: metrics(field) },
        { name: 'beside', field, size: 1000, aggregation: ['terms', ...metrics(field)] },
        { name: 'nested', field: 'kind', aggregation: [{ name: 'm', field, aggregation: metrics(field) }] },
        {
          name: 'split',
          field: 'tags',
          aggregation: [{ name: 'b', field, aggregation: ['terms', ...metrics(field)] }],
        },
      ]);
    }
  });

  it('counts severities, kinds and groups by the roll-ups, under queries that name only these', async () => {
    const { foreign, documents } = alerts;
    const token = await api.token(foreign.tenant.id, 'tenant-viewer');
    const of = documents.filter(({ tenantId }) => tenantId === foreign.tenant.id);
    const kinds = { name: 'k', field: 'kind', sort: [{ field: '_key' }] };
    for (const query of [
      '*',
      'severity:(HIGH OR LOW) AND NOT kind:action',
      'numericSeverity:>=50',
      'group:x',
      'tags:defi',
    ])
      for (const size of [1, 10]) {
        const severities = { name: 's', field: 'severity', size, aggregation: [kinds] };
        const groups = { name: 'g', field: 'group', sort: [{ field: '_count', order: 'asc' as const }] };
        await expectRight([severities, groups], { query }, { of, token });
      }
  });

  it('sorts buckets by count, key, metric and the metric of a nested item, missing values last', async () => {
    const nested = {
      name: 'm',
      field: 'meta.amount',
      aggregation: ['avg', 'sum', 'missing'],
      query: 'severity:HIGH',
    };
    const fields = ['_count', '_key', 'max', 'cardinality', 'm.avg', 'm.sum', 'm.missing', 'm.count'];
    for (const order of ['asc', 'desc', undefined] as const) {
      for (const field of fields) {
        const sort = [{ field, ...(order ? { order } : {}) }];
        for (const by of ['blockNumber', 'meta.many']) {
          const aggregation = ['max', 'cardinality', nested];
          await expectRight([{ name: 'a', field: by, size: 7, sort, aggregation }]);
        }
      }
    }
  });

  it('answers what a plain computation over the same alerts answers, for random items and queries', async () => {
    const random = createRandom('random aggregations');
    for (let n = 0; n < 60; n++) {
      const query = random.chance(0.4) ? { query: readableQuery(random) } : {};
      await expectRight(
        randomItems(random, () => readableQuery(random)),
        query,
      );
    }
  });

  it('follows the days and months of a time zone through its changes of offset', async () => {
    for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', '+05:45']) {
      for (const interval of ['1h', '1d', '1w', '1M', '1q']) {
        const aggregation = ['date_histogram', { name: 'g', field: 'group' }];
        await expectRight([{ name: 'h', field: 'timestamp', interval, timezone, aggregation }]);
      }
    }
  });

  it('counts retracted alerts only where the query of the request speaks of them', async () => {
    const aggregation = [
      { name: 'status', field: 'status' },
      { name: 'retracted', query: 'status:RETRACTED', aggregation: ['count'] },
      { name: 'urgent', field: 'status', query: 'severity:CRITICAL' },
    ];
    for (const query of [undefined, 'status:*', 'retractedAt:*', 'severity:HIGH'])
      await expectRight(aggregation, query === undefined ? {} : { query });
  });

  it('reads the ranges of time it is asked for, and counts the total up to the limit', async () => {
    const timeseries = [
      { from: end - 100 * day, to: end - 90 * day },
      { from: end - 95 * day, to: end - 60 * day },
    ];
    const inside = found(alerts.visible).filter(({ timestamp }) =>
      timeseries.some(({ from, to }) => timestamp >= from && timestamp <= to),
    );
    const aggregation = [{ name: 'a', field: 'severity' }];
    const ask = async (more: Json) => (await aggregate({ aggregation, timeseries, ...more })).body;
    const right = naiveAggregate(inside, aggregation);
    expect(inside.length).toBeGreaterThan(7);
    expect(await ask({})).toEqual({ total: inside.length, data: right });
    expect(await ask({ trackTotalCount: 7, query: ' ' })).toEqual({ total: 7, data: right });
    expect(await ask({ trackTotalCount: 0 })).toEqual({ total: 0, data: right });
  });
});

describe('what an aggregation may see', () => {
  it('is the caller’s own tenant and what is shared with it, whatever the queries say', async () => {
    const random = createRandom('aggregations over a tenant');
    for (let n = 0; n < 25; n++) {
      const wide = () =>
        `${readableQuery(random)} OR tenantId:${alerts.foreign.tenant.id} OR *:* OR contractId:>0 OR tenantId:*`;
      const [item] = randomItems(random, wide);
      const aggregation = [
        item!,
        {
          name: 'tenants',
          field: 'tenantId',
          query: wide(),
          aggregation: [{ name: 'c', field: 'contractId' }],
        },
      ];
      await expectRight(aggregation, { query: wide() });
    }
    const all = naiveAggregate(found(alerts.documents), [{ name: 't', field: 'tenantId' }]);
    expect(all.t.buckets.length).toBe(3);
  });

  it('is everything for an administrator, and one kind where only action alerts are asked for', async () => {
    const aggregation = [
      { name: 'kinds', field: 'kind', aggregation: [{ name: 't', field: 'tenantId' }] },
      { name: 'wallets', field: 'walletAddress', query: 'kind:trigger OR severity:HIGH' },
    ];
    const path = 'action/alert/aggregation';
    const actions = (of: readonly Json[]) => of.filter(({ kind }) => kind === 'action');
    await expectRight(aggregation, {}, { of: actions(alerts.visible), path });
    const { own, foreign, sharing, documents } = alerts;
    const token = await api.token(foreign.tenant.id, 'tenant-viewer');
    const theirs = documents.filter(({ tenantId }) => tenantId === foreign.tenant.id);
    await expectRight(aggregation, {}, { of: actions(theirs), path, token });
    const tenants = [own, foreign, sharing].map(({ tenant }) => tenant.id).join(' ');
    await expectRight(
      aggregation,
      { query: `tenantId:(${tenants})` },
      { of: documents, token: api.adminToken },
    );
  });
});
