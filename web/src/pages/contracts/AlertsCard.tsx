import { useMemo, useState } from 'preact/hooks';
import { Chart } from '../../parts/Chart.tsx';
import type { ChartMark } from '../../parts/chartProps.ts';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Message } from '../../parts/Evidence.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { href, navigate } from '../../state/route.ts';
import { resolveRange } from '../../state/timeRange.ts';
import { useLoad } from '../../state/useLoad.ts';
import { useAlertFigures } from '../alerts/useAlertFigures.ts';
import { Holdings } from './Holdings.tsx';

const rangeWords = {
  '5m': 'of the last 5 minutes',
  '15m': 'of the last 15 minutes',
  '1h': 'of the last hour',
  '24h': 'of the last day',
  '7d': 'of the last 7 days',
} as const;

/** A young contract is drawn over the time since, so that its alerts are no bar at the edge. */
function fittingRange(since: number, now: number): keyof typeof rangeWords {
  const names = Object.keys(rangeWords) as (keyof typeof rangeWords)[];
  return names.find((name) => resolveRange(name, now).from <= since) ?? '7d';
}

export type AlertsCardProps = {
  condition: string;
  contractId?: number;
  /** When there was nothing of it yet. */
  since?: number;
};

/** Alerts of a contract or project: over the last week, and the newest. */
export function AlertsCard({ condition, contractId, since = 0 }: AlertsCardProps) {
  const [asOf] = useState(Date.now());
  const range = fittingRange(since, asOf);
  const period = resolveRange(range, asOf);
  const figures = useAlertFigures({ query: condition, ...period });
  const newest = useLoad(
    condition,
    (signal) =>
      client.post('/alert/search', { body: { query: condition, size: 8, trackTotalCount: 0 }, signal }),
    { every: 10_000 },
  );
  const marks = useMemo(() => marksOf(figures.data), [figures.data]);
  const search = `/alerts?range=${range}&q=${encodeURIComponent(condition)}`;
  return (
    <section class="card" aria-labelledby="alerts-card">
      <header>
        <h2 id="alerts-card">
          {contractId === undefined ? 'Alerts' : 'Holdings and alerts'} {rangeWords[range]}
        </h2>
        <a href={href(search)}>All</a>
      </header>
      <Problem error={figures.error ?? newest.error} />
      {!newest.data && newest.isLoading && <Loading />}
      {newest.data?.data.length === 0 && (
        <Empty title="No alerts yet">
          They show up here as soon as a detector or trigger finds something.
        </Empty>
      )}
      {contractId !== undefined && <Holdings contractId={contractId} period={period} marks={marks} />}
      {newest.data && newest.data.data.length > 0 && figures.data && (
        <Chart
          label="Alerts over time by severity"
          times={figures.data.times}
          series={figures.data.series}
          step={figures.data.step}
          range={period}
          height={100}
          onRange={(from, to) => navigate(`/alerts?range=${from}-${to}&q=${encodeURIComponent(condition)}`)}
        />
      )}
      <ul class="list">
        {newest.data?.data.map(({ uid, severity, name, message, timestamp }) => (
          <li key={uid} class="row still">
            <Severity value={severity} />
            <a class="foreign" href={href(`${search}&alert=${encodeURIComponent(uid)}`)}>
              {name.slice(0, 200)}
            </a>
            <span class="grow cut dim small foreign">
              <Message text={message.slice(0, 300)} />
            </span>
            <span class="dim small">
              <Time at={timestamp} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Figures = NonNullable<ReturnType<typeof useAlertFigures>['data']>;

/** The times with alerts that matter, each in the colour of its worst. */
function marksOf(figures: Figures | undefined): ChartMark[] {
  if (!figures) return [];
  return figures.times.flatMap((at, index) => {
    const worst = figures.series.findLast(
      ({ label, values }) => label !== 'INFO' && label !== 'LOW' && (values[index] ?? 0) > 0,
    );
    return worst ? [{ at: at + figures.step / 2, label: `${worst.label} alerts`, color: worst.color }] : [];
  });
}
