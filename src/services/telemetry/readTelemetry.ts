import { groupBy } from '../../lib/groupBy.ts';
import { nearest } from '../../lib/nearest.ts';
import { invalid } from '../../model/errors.ts';
import { isMetric, type MetricName, metrics, platformTenant } from '../../model/metrics.ts';
import { parseRangeEnd } from '../../query/datemath.ts';
import { createBuckets, denseBuckets, parseInterval } from '../../query/interval.ts';
import { parseTimeZone } from '../../query/timeZone.ts';
import { reportSlowSearch } from '../../store/records/reportSlowSearch.ts';
import { readSamples, type SampleSum } from '../../store/telemetry/readSamples.ts';
import type { Call } from '../call.ts';

export type TelemetryRequest = {
  metric: string;
  start?: string | number;
  end?: string | number;
  step?: string;
  tags?: Record<string, string[]>;
};

type Bucket = {
  /** Null for a gauge that was not read. */
  value: number | null;
  count: number;
  min: number | null;
  max: number | null;
  last: number | null;
  by?: Record<string, Record<string, number | null>>;
};

type TelemetryPoint = { ts: number; bucket: Bucket };

const maxNumbers = 200_000;

/** One metric over time, of the caller's tenant, or for an administrator of the platform or of the tenants he names. */
export async function readTelemetry(call: Call, request: TelemetryRequest): Promise<TelemetryPoint[]> {
  const { metric, tags = {} } = request;
  const time = readTime(request, call.now);
  const { tenant: tenants, ...rest } = tags;
  const tenantIds = tenantsOf(call, tenants);
  if (!isMetric(metric)) throw unknownMetric(metric);
  checkLabels(metric, Object.keys(rest));
  if (Object.values(tags).some((values) => values.length === 0)) return [];
  const split = Object.keys(tags).filter((label) => new Set(tags[label]).size > 1);
  const filter = { ...time, metric, tenantIds, tags: new Map(Object.entries(rest)), split };
  checkSize(time.starts.length, split, tags);
  const sums = await reportSlowSearch(() => readSamples(call.services.reports, filter));
  const byBucket = groupBy(sums, ({ bucket }) => bucket);
  const points = time.starts.map((ts, index) => {
    const bucketRows = byBucket.get(index) ?? [];
    const bucket = addUp(bucketRows, metrics[metric].kind);
    if (split.length > 0) bucket.by = splitByLabel(bucketRows, split, tags, metrics[metric].kind);
    return { ts, bucket };
  });
  if (time.isExtended) return points;
  const isFilled = ({ bucket }: TelemetryPoint) => bucket.count > 0;
  return points.slice(points.findIndex(isFilled), points.findLastIndex(isFilled) + 1);
}

function readTime({ start = '-1d', end = 'now', step = '1h' }: TelemetryRequest, now: number) {
  const first = parseRangeEnd(String(start), now, 'start');
  const last = parseRangeEnd(String(end), now, 'end');
  if (first.ms > last.ms) {
    throw invalid('/start', 'invalid-range', `start (${first.ms}) must not be after end (${last.ms}).`);
  }
  const buckets = createBuckets(parseInterval(step, '/step'), parseTimeZone('UTC', '/step'));
  const starts = denseBuckets(buckets, first.ms, last.ms, '/step');
  if (starts.length === 0) throw invalid('/start', 'invalid-range', 'is before every date of a calendar.');
  return { from: first.ms, to: last.ms, starts, isExtended: first.isTimestamp && last.isTimestamp };
}

/** A tenant is never named by its own people: it is theirs already, and no other is. */
function tenantsOf({ principal, scope }: Call, named: readonly string[] | undefined): number[] {
  if (scope.all) {
    if (named === undefined) return [platformTenant];
    return named.filter((id) => /^[1-9]\d{0,14}$/.test(id)).map(Number);
  }
  if (named !== undefined) {
    throw invalid('/tags/tenant', 'reserved', 'cannot be given: the tenant is always your own.');
  }
  return principal.tenantId === null ? [] : [principal.tenantId];
}

function unknownMetric(name: string) {
  const guess = nearest(name, Object.keys(metrics));
  return invalid(
    '/metric',
    'unknown-metric',
    `is no metric; ${guess ? `did you mean ${guess}?` : 'GET /telemetry/metric lists them.'}`,
  );
}

function checkLabels(metric: MetricName, names: readonly string[]): void {
  const labels: readonly string[] = metrics[metric].labels;
  for (const name of names) {
    if (labels.includes(name)) continue;
    const guess = nearest(name, labels);
    const advice = guess ? `did you mean ${guess}?` : `it has ${labels.join(' and ')}.`;
    throw invalid(`/tags/${name}`, 'unknown-label', `is no label of ${metric}; ${advice}`);
  }
}

/** Every named value is a line of its own with a number in every bucket. */
function checkSize(
  buckets: number,
  split: readonly string[],
  tags: Readonly<Record<string, readonly string[]>>,
): void {
  const lines = split.reduce((sum, label) => sum + (tags[label]?.length ?? 0), 0);
  if (buckets * lines <= maxNumbers) return;
  throw invalid(
    '/tags',
    'too-many-buckets',
    `${lines} values in ${buckets} buckets are too many for one chart; name fewer values or take a longer step.`,
  );
}

function addUp(sums: readonly SampleSum[], kind: 'counter' | 'gauge'): Bucket {
  if (sums.length === 0) return { value: empty(kind), count: 0, min: null, max: null, last: null };
  const [, last] = sums
    .map(({ newest }) => newest)
    .reduce((a, b) => (a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]) ? a : b));
  const total = (name: 'value' | 'count') => sums.reduce((result, sum) => result + sum[name], 0);
  return {
    value: kind === 'counter' ? total('value') : last,
    count: total('count'),
    min: Math.min(...sums.map((sum) => sum.min)),
    max: Math.max(...sums.map((sum) => sum.max)),
    last,
  };
}

/** The value of each named value of each label that has several. */
function splitByLabel(
  sums: readonly SampleSum[],
  split: readonly string[],
  tags: Readonly<Record<string, readonly string[]>>,
  kind: 'counter' | 'gauge',
): Record<string, Record<string, number | null>> {
  const lines = split.map((label, index) => {
    const values = (tags[label] ?? []).map((value) => {
      const partSums = sums.filter((sum) => sum.parts[index] === value);
      return [value, addUp(partSums, kind).value] as const;
    });
    return [label, Object.fromEntries(values)] as const;
  });
  return Object.fromEntries(lines);
}

function empty(kind: 'counter' | 'gauge'): number | null {
  return kind === 'counter' ? 0 : null;
}
