import { useId, useState } from 'preact/hooks';
import { showShortTime } from '../state/format.ts';
import { isRelative, rangePresets, resolveRange, type TimeRange } from '../state/timeRange.ts';

/** A preset, or two moments. */
export function TimeRangePicker({ value, onChange }: { value: TimeRange; onChange(range: TimeRange): void }) {
  const { from, to } = resolveRange(value, Date.now());
  const [custom, setCustom] = useState<{ from: string; to: string }>();
  const id = useId();
  const isPreset = rangePresets.some(([name]) => name === value);
  return (
    <span class="row tight still">
      <select
        aria-label="Time range"
        value={custom ? 'custom' : value}
        onChange={({ currentTarget }) => {
          if (currentTarget.value === 'custom') setCustom({ from: toLocal(from), to: toLocal(to) });
          else {
            setCustom(undefined);
            onChange(currentTarget.value);
          }
        }}
      >
        {rangePresets.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
        {!isPreset && (
          <option value={value}>
            {isRelative(value) ? value : `${showShortTime(from)} – ${showShortTime(to)}`}
          </option>
        )}
        <option value="custom">From … to …</option>
      </select>
      {custom && (
        <form
          class="row tight still"
          onSubmit={(event) => {
            event.preventDefault();
            onChange(`${Date.parse(custom.from)}-${Date.parse(custom.to)}`);
            setCustom(undefined);
          }}
        >
          <label class="hide-visually" for={`${id}-from`}>
            From
          </label>
          <input
            id={`${id}-from`}
            type="datetime-local"
            required
            value={custom.from}
            onInput={({ currentTarget }) => setCustom({ ...custom, from: currentTarget.value })}
          />
          <label class="hide-visually" for={`${id}-to`}>
            To
          </label>
          <input
            id={`${id}-to`}
            type="datetime-local"
            required
            value={custom.to}
            onInput={({ currentTarget }) => setCustom({ ...custom, to: currentTarget.value })}
          />
          <button type="submit">Show</button>
        </form>
      )}
    </span>
  );
}

/** As an input of local time takes it. */
function toLocal(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
