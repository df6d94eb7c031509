import { showCount } from '../../state/format.ts';

export type Bar = { from: number; to: number; count: number };

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

type DayBarsProps = { bars: readonly Bar[]; chosen: Bar | undefined; onChoose(bar: Bar | undefined): void };

/** Alerts over time as bars; a press shows only those of a bar, another one shows all again. */
export function DayBars({ bars, chosen, onChoose }: DayBarsProps) {
  const most = Math.max(...bars.map(({ count }) => count), 1);
  return (
    <ol class="day-bars" aria-label="Alerts over time">
      {bars.map((bar) => {
        const isChosen = chosen?.from === bar.from;
        const when = bar.to - bar.from >= 86_400_000 ? day.format(bar.from) : moment.format(bar.from);
        return (
          <li key={bar.from}>
            <button
              type="button"
              class="plain"
              aria-pressed={isChosen}
              disabled={bar.count === 0}
              title={`${when}: ${showCount(bar.count)}`}
              aria-label={`${showCount(bar.count)} ${bar.count === 1 ? 'alert' : 'alerts'} on ${when}`}
              onClick={() => onChoose(isChosen ? undefined : bar)}
            >
              <i
                style={{
                  height: `${bar.count === 0 ? 0 : Math.max(6, Math.round((bar.count / most) * 100))}%`,
                }}
              />
            </button>
          </li>
        );
      })}
    </ol>
  );
}
