import { expect, it } from 'vitest';
import { startTestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';
import { placeOf } from './support/aggregatedAlerts.ts';

const day = 86_400_000;

it('an aggregation answers in the promised shape', async () => {
  const api = await startTestApi();
  const tenant = await createWorld(api);
  const at = Date.UTC(2026, 0, 1);
  const findings = [
    { severity: 'HIGH', timestamp: at, meta: { amount: 1 }, tags: ['a', 'b', 'a'] },
    { severity: 'HIGH', timestamp: at + 1, meta: { amount: 4 }, tags: [] },
    { severity: 'LOW', timestamp: at + 2 * day, meta: { amount: [10, 'x'], ok: true }, tags: ['a'] },
    { severity: 'INFO', timestamp: at + 2 * day + 1, meta: { ok: false }, tags: ['c'] },
  ] as const;
  const rest = {
    ...placeOf(tenant),
    kind: 'action',
    group: 'action',
    eid: 'e',
    name: 'N',
    message: 'm',
  } as const;
  await raiseAll(
    api.store,
    findings.map((finding, n) => ({ ...rest, ...finding, key: String(n) })),
  );
  const answer = await api.call(
    'POST',
    'action/alert/aggregation',
    {
      aggregation: [
        {
          name: 'bySeverity',
          field: 'severity',
          size: 2,
          aggregation: [
            { name: 'byTag', field: 'tags' },
            { name: 'amount', field: 'meta.amount', aggregation: ['avg', 'missing', 'stats'] },
          ],
        },
        { name: 'tags', field: 'tags', size: 1, aggregation: ['terms', 'missing', 'cardinality'] },
        { name: 'flags', field: 'meta.ok', sort: [{ field: '_key' }] },
        { name: 'perDay', field: 'timestamp', interval: '1d', aggregation: ['date_histogram', 'max'] },
        { name: 'amounts', field: 'meta.amount', aggregation: ['percentiles', 'sum', 'max'] },
        {
          name: 'none',
          field: 'walletId',
          aggregation: ['stats', 'min', 'cardinality'],
          query: 'nosuch:1',
        },
        { name: 'urgent', query: 'severity:HIGH', aggregation: ['count'] },
      ],
      trackTotalCount: 3,
    },
    { token: await api.token(tenant.tenant.id, 'tenant-viewer') },
  );
  await api.stop();
  expect(answer.body).toEqual({
    total: 3,
    data: {
      bySeverity: {
        count: 4,
        buckets: [
          {
            key: 'HIGH',
            count: 2,
            amount: {
              count: 2,
              avg: 2.5,
              missing: 0,
              stats: { count: 2, min: 1, max: 4, avg: 2.5, sum: 5 },
            },
            byTag: {
              count: 2,
              buckets: [
                { key: 'a', count: 1 },
                { key: 'b', count: 1 },
              ],
              otherCount: 0,
            },
          },
          {
            key: 'INFO',
            count: 1,
            amount: {
              count: 1,
              avg: null,
              missing: 1,
              stats: { count: 0, min: null, max: null, avg: null, sum: 0 },
            },
            byTag: { count: 1, buckets: [{ key: 'c', count: 1 }], otherCount: 0 },
          },
        ],
        otherCount: 1,
      },
      tags: {
        count: 4,
        missing: 1,
        buckets: [{ key: 'a', count: 2, missing: 0, cardinality: 2 }],
        otherCount: 2,
      },
      flags: {
        count: 4,
        buckets: [
          { key: false, count: 1 },
          { key: true, count: 1 },
        ],
        otherCount: 0,
      },
      perDay: {
        count: 4,
        buckets: [
          { key: at, count: 2, max: at + 1 },
          { key: at + day, count: 0, max: null },
          { key: at + 2 * day, count: 2, max: at + 2 * day + 1 },
        ],
      },
      amounts: {
        count: 4,
        percentiles: {
          '1.0': 1.06,
          '5.0': 1.3,
          '25.0': 2.5,
          '50.0': 4,
          '75.0': 7,
          '95.0': 9.399999999999999,
          '99.0': 9.879999999999999,
        },
        sum: 15,
        max: 10,
      },
      none: {
        count: 0,
        stats: { count: 0, min: null, max: null, avg: null, sum: 0 },
        min: null,
        cardinality: 0,
      },
      urgent: { count: 2 },
    },
  });
});
