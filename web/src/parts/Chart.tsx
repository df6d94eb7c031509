import { useEffect, useRef } from 'preact/hooks';
import { showTime } from '../state/format.ts';
import { theme } from '../state/theme.ts';
import type { ChartProps } from './chartProps.ts';
import './Chart.css';

/** Lines or stacked bars over time, to drag over. Its figures are also there as a table for screen readers. */
export function Chart({ label, times, series, height = 140, step, onRange, range, marks }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const select = useRef(onRange);
  select.current = onRange;
  const scheme = theme.value;

  // Colours follow the theme.
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let remove = () => {};
    let isGone = false;
    // Read when the first chart is drawn: figures come after the rows that they count.
    void import('./drawChart.ts').then(({ drawChart }) => {
      if (isGone) return;
      const isSelectable = select.current !== undefined;
      remove = drawChart({ element, times, series, height, step, range, marks, isSelectable }, (from, to) =>
        select.current?.(from, to),
      );
    });
    return () => {
      isGone = true;
      remove();
    };
  }, [times, series, height, step, range?.from, range?.to, marks, scheme]);

  const total = series.map(
    ({ label, values }) => `${label} ${values.reduce<number>((sum, value) => sum + (value ?? 0), 0)}`,
  );
  for (const { label, at } of (marks ?? []).slice(0, 20)) total.push(`${label} ${showTime(at)}`);
  const first = times[0];
  const last = times.at(-1);
  return (
    <figure class="chart">
      <div
        ref={place}
        role="img"
        style={{ minHeight: `${height}px` }}
        aria-label={`${label}: ${total.join(', ')}${first && last ? `, from ${showTime(first)} to ${showTime(last)}` : ''}`}
      />
    </figure>
  );
}
