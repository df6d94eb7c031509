import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { showCompact } from '../state/format.ts';
import type { ChartProps, Series } from './chartProps.ts';

type Drawing = {
  element: HTMLElement;
  times: readonly number[];
  series: readonly Series[];
  height: number;
  step: number | undefined;
  range: ChartProps['range'];
  marks: ChartProps['marks'];
  isSelectable: boolean;
};

/** Draws a chart as wide as its element, until the function that it gives back removes it. */
export function drawChart(drawing: Drawing, onRange: (from: number, to: number) => void): () => void {
  const { element, times, series, height } = drawing;
  const plot = new uPlot(options(drawing, onRange), toData(times, series), element);
  const observer = new ResizeObserver(() => {
    if (element.clientWidth > 0 && element.clientWidth !== plot.width)
      plot.setSize({ width: element.clientWidth, height });
  });
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

/** Stacked series are drawn from the highest to the lowest, so that each covers those below. */
function toData(times: readonly number[], series: readonly Series[]): uPlot.AlignedData {
  const sums = times.map(() => 0);
  const columns = series.map(({ values, kind }) =>
    kind === 'bars'
      ? values.map((value, index) => (sums[index] = (sums[index] ?? 0) + (value ?? 0)))
      : [...values],
  );
  return [times.map((ms) => ms / 1000), ...columns.reverse()] as uPlot.AlignedData;
}

function options(
  { element, times, series, height, step, range, marks = [], isSelectable }: Drawing,
  onRange: (from: number, to: number) => void,
): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => resolveColor(element, name);
  const axis: uPlot.Axis = {
    stroke: color('--dim'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const [first] = times;
  const last = times.at(-1);
  // A bar stands for the time after its moment, the last one as well.
  const extent =
    range ??
    (step && first !== undefined && last !== undefined ? { from: first, to: last + step } : undefined);
  const isCount = series.every(({ kind }) => kind === 'bars');
  const bars = uPlot.paths.bars!({ size: [0.86, 40], align: step === undefined ? 0 : 1 });
  return {
    width: element.clientWidth || 600,
    height,
    legend: { show: false },
    padding: [8, 18, 0, 0],
    cursor: {
      drag: { x: isSelectable, y: false, setScale: false },
      points: { show: series.every(({ kind }) => kind !== 'bars') },
    },
    select: { show: isSelectable, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: extent ? { range: [extent.from / 1000, extent.to / 1000] } : {},
      y: { range: (_plot, low, high) => [Math.min(0, low ?? 0), Math.max(high ?? 1, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 76,
        size: 24,
        values: (_plot, ticks, _axis, _space, step) => ticks.map((tick) => showTick(tick * 1000, step)),
      },
      {
        ...axis,
        size: 44,
        space: 32,
        ...(isCount ? { incrs: wholeSteps } : {}),
        values: (_plot, ticks) =>
          ticks.map((tick) => (Number.isInteger(tick) || Math.abs(tick) < 1000 ? showCompact(tick) : '')),
      },
    ],
    series: [
      {},
      ...[...series].reverse().map(
        ({ label, color: name, kind = 'line' }): uPlot.Series => ({
          label,
          stroke: color(name),
          width: kind === 'bars' ? 0 : 1.5,
          // A line of few points may be too short to be seen.
          points: { show: kind !== 'bars' && times.length < 12 },
          ...(kind === 'bars' ? { fill: color(name), paths: bars } : {}),
          ...(kind === 'step' ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
        }),
      ),
    ],
    hooks: {
      draw: [
        (plot) => {
          const { ctx, bbox } = plot;
          ctx.save();
          ctx.lineWidth = devicePixelRatio;
          ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
          for (const { at, color: name } of marks) {
            const left = plot.valToPos(at / 1000, 'x', true);
            if (left < bbox.left || left > bbox.left + bbox.width) continue;
            ctx.strokeStyle = color(name);
            ctx.beginPath();
            ctx.moveTo(left, bbox.top);
            ctx.lineTo(left, bbox.top + bbox.height);
            ctx.stroke();
          }
          ctx.restore();
        },
      ],
      setSelect: [
        (plot) => {
          if (plot.select.width < 4) return;
          const at = (left: number) => Math.round(plot.posToVal(left, 'x') * 1000);
          const [from, to] = [at(plot.select.left), at(plot.select.left + plot.select.width)];
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onRange(from, to);
        },
      ],
    },
  };
}

/** One, two and five, and their tens. */
const wholeSteps = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

/** A canvas knows no custom properties and no light-dark(). */
function resolveColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockWithSeconds = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** Hours by the clock, days by their date; midnight shows the day that begins. */
function showTick(ms: number, stepSeconds: number): string {
  const date = new Date(ms);
  if (stepSeconds >= 86_400 || (date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0))
    return day.format(ms);
  return (stepSeconds < 60 ? clockWithSeconds : clock).format(ms);
}
