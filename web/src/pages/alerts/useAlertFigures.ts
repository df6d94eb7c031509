import { severities } from '../../parts/Severity.tsx';
import { client } from '../../state/api.ts';
import { toInterval } from '../../state/timeRange.ts';
import { useLoad } from '../../state/useLoad.ts';
import type { AlertSearch } from './useAlertPages.ts';

export type Bucket = { key: string | number; count: number };
type TimeBucket = { key: number; count: number; severity: { buckets: Bucket[] } };

export const facetFields = [
  'severity',
  'status',
  'kind',
  'contractId',
  'detectorId',
  'chainUid',
  'tags',
  'finality',
] as const;
export type FacetField = (typeof facetFields)[number];

const shownValues = 8;

/** Counts of a search: over time by severity, and by the values of some members. */
export function useAlertFigures({ query, from, to }: AlertSearch) {
  const { interval, step } = toInterval({ from, to });
  const read = async (signal: AbortSignal) => {
    const { data } = await client.post('/alert/aggregation', {
      body: {
        query,
        timeseries: [{ from, to }],
        trackTotalCount: 0,
        aggregation: [
          {
            name: 'overTime',
            field: 'timestamp',
            interval,
            aggregation: ['date_histogram', { name: 'severity', field: 'severity' }],
          },
          ...facetFields.map((field) => ({ name: field, field, size: shownValues })),
        ],
      },
      signal,
    });
    const figures = data as unknown as Record<FacetField, { buckets: Bucket[]; otherCount: number }> & {
      overTime: { buckets: TimeBucket[] };
    };
    return { facets: figures, ...toSeries(figures.overTime.buckets, from, to, step), step };
  };
  return useLoad(`${query} ${from} ${to}`, read, { later: true });
}

/** Every bar of the range, also those without an alert. */
function toSeries(buckets: readonly TimeBucket[], from: number, to: number, step: number) {
  const offset = (buckets[0]?.key ?? 0) % step;
  const first = Math.floor((from - offset) / step) * step + offset;
  const times: number[] = [];
  for (let at = first; at <= to && times.length < 500; at += step) times.push(at);
  const byTime = new Map(buckets.map((bucket) => [bucket.key, bucket]));
  const series = severities.map((severity) => ({
    label: severity,
    color: `--${severity.toLowerCase()}-fill`,
    kind: 'bars' as const,
    values: times.map(
      (at) => byTime.get(at)?.severity.buckets.find(({ key }) => key === severity)?.count ?? 0,
    ),
  }));
  return { times, series };
}
