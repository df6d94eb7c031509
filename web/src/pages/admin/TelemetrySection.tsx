import { useMemo } from 'preact/hooks';
import { Chart } from '../../parts/Chart.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { search, setSearch } from '../../state/route.ts';
import { useLoad } from '../../state/useLoad.ts';

const spans = {
  '1h': { title: 'an hour', step: '1m', ms: 60_000 },
  '1d': { title: 'a day', step: '15m', ms: 900_000 },
  '7d': { title: 'a week', step: '2h', ms: 7_200_000 },
  '30d': { title: '30 days', step: '12h', ms: 43_200_000 },
} as const;

/** Any metric of the tenant or the platform over time. */
export function TelemetrySection() {
  const metrics = useLoad('metrics', (signal) => client.get('/telemetry/metric', { signal })).data?.data;
  const metric = search.value.get('metric') ?? 'alerts';
  const asked = search.value.get('span') ?? '1d';
  const span = (asked in spans ? asked : '1d') as keyof typeof spans;
  const { step, ms } = spans[span];
  const { data, error, reload } = useLoad(`telemetry ${metric} ${span}`, (signal) =>
    client.post('/tenant/telemetry', { body: { metric, start: `-${span}`, end: 'now', step }, signal }),
  );
  const known = metrics?.find(({ name }) => name === metric);
  const rows = data?.data ?? [];
  const chart = useMemo(
    () => ({
      times: rows.map(({ ts }) => ts),
      series: [
        {
          label: metric,
          color: '--accent',
          values: rows.map(({ bucket }) => bucket.value),
          kind: known?.kind === 'gauge' ? ('line' as const) : ('bars' as const),
        },
      ],
    }),
    [data, metric, known?.kind],
  );
  const total = rows.reduce((sum, { bucket }) => sum + (bucket.value ?? 0), 0);
  return (
    <>
      <header class="row">
        <h1 class="grow">Telemetry</h1>
        <select
          class="filter"
          aria-label="Metric"
          value={metric}
          onChange={({ currentTarget }) => setSearch({ metric: currentTarget.value })}
        >
          {(metrics ?? [{ name: metric }]).map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <fieldset class="row tight">
          <legend class="hide-visually">Time</legend>
          {Object.entries(spans).map(([name, { title }]) => (
            <button
              key={name}
              type="button"
              class="small"
              aria-pressed={span === name}
              onClick={() => setSearch({ span: name })}
            >
              {title}
            </button>
          ))}
        </fieldset>
      </header>
      <Problem error={error} retry={reload} />
      <section class="card stack">
        {known && <p class="dim">{known.help}</p>}
        {!data && !error && <Loading />}
        {data && rows.length === 0 && <Empty title="Nothing was recorded in this time" />}
        {rows.length > 0 && (
          <>
            {known?.kind !== 'gauge' && (
              <p>
                <strong>{showCount(total)}</strong> in all
              </p>
            )}
            <Chart label={metric} times={chart.times} series={chart.series} step={ms} height={260} />
          </>
        )}
      </section>
    </>
  );
}
