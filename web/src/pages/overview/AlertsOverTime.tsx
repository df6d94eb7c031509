import { useEffect, useState } from 'preact/hooks';
import { Chart } from '../../parts/Chart.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { severities } from '../../parts/Severity.tsx';
import { withinTenant } from '../../state/alertQuery.ts';
import { showCompact } from '../../state/format.ts';
import { href, navigate } from '../../state/route.ts';
import { resolveRange } from '../../state/timeRange.ts';
import { useAlertFigures } from '../alerts/useAlertFigures.ts';

const ranges = [
  ['1h', 'hour'],
  ['6h', '6 hours'],
  ['24h', 'day'],
  ['7d', 'week'],
  ['30d', 'month'],
] as const;

type Range = (typeof ranges)[number][0] | (typeof youngRanges)[number][0];

/** Offered only where they hold every alert: the chart of an hour would be one bar at its edge. */
const youngRanges = [
  ['2m', '2 min'],
  ['5m', '5 min'],
  ['15m', '15 min'],
] as const;

const shortest = [...youngRanges, ...ranges.slice(0, 3)].map(([name]) => name);

/** The shortest range that has every alert of the last day. */
function rangeOfData(times: readonly number[], counts: readonly number[], to: number): Range {
  const first = times.find((_, index) => counts[index]! > 0);
  if (first === undefined) return '24h';
  return shortest.find((name) => resolveRange(name, to).from <= first) ?? '24h';
}

/** Alerts by severity; a part that is dragged over opens as a search. */
export function AlertsOverTime() {
  const [chosen, setRange] = useState<Range>();
  const [fitted, setFitted] = useState<Range>();
  const [isFitted, setIsFitted] = useState(false);
  const range = chosen ?? fitted ?? '24h';
  const [asOf] = useState(Date.now());
  const period = resolveRange(range, asOf);
  const figures = useAlertFigures({ query: withinTenant(''), ...period });
  const { data, isLoading } = figures;
  // Bars of a shorter range are finer, so that one may show that a still shorter one has all; then it stays.
  useEffect(() => {
    if (!data || isLoading || isFitted || chosen !== undefined) return;
    const sums = data.times.map((_, index) =>
      data.series.reduce((sum, { values }) => sum + values[index]!, 0),
    );
    const next = rangeOfData(data.times, sums, asOf);
    if (fitted !== undefined && shortest.indexOf(next) >= shortest.indexOf(fitted)) setIsFitted(true);
    else setFitted(next);
  }, [data, isLoading, isFitted, fitted, chosen]);
  const young = youngRanges.filter(([name]) => name === fitted);
  const counts = figures.data?.facets.severity.buckets ?? [];
  return (
    <section class="card stack" aria-label="Alerts over time">
      <div class="row apart">
        <ul class="figures">
          {[...severities].reverse().map((severity) => (
            <li key={severity}>
              <a href={href(`/alerts?range=${range}&q=severity:${severity}`)}>
                <strong class={severity.toLowerCase()}>
                  {figures.data ? showCompact(counts.find(({ key }) => key === severity)?.count ?? 0) : '…'}
                </strong>
                <span class="dim small">{severity.toLowerCase()}</span>
              </a>
            </li>
          ))}
        </ul>
        <fieldset class="row tight">
          <legend class="hide-visually">Time range</legend>
          {[...young, ...ranges].map(([name, title]) => (
            <button
              type="button"
              class="small"
              key={name}
              aria-pressed={name === range}
              onClick={() => setRange(name)}
            >
              {title}
            </button>
          ))}
        </fieldset>
      </div>
      <Problem error={figures.error} retry={figures.reload} />
      {figures.data ? (
        <Chart
          label="Alerts over time by severity"
          times={figures.data.times}
          series={figures.data.series}
          step={figures.data.step}
          range={period}
          height={150}
          onRange={(from, to) => navigate(`/alerts?range=${from}-${to}`)}
        />
      ) : (
        <div class="skeleton chart-place" />
      )}
    </section>
  );
}
