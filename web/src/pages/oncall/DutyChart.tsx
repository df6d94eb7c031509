import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { showTime } from '../../state/format.ts';
import './oncall.css';

export type Shifts = ReplyOf<'GET', '/schedule/{id}/shifts'>;

const dayMs = 86_400_000;
/** Colours of people; further ones share them. */
const colours = 6;

/** The shifts of a schedule as a bar of time: a colour for each person, and gaps that stand out. */
export function DutyChart({ name, shifts: { from, to, shifts, gaps } }: { name: string; shifts: Shifts }) {
  const people = [...new Set(shifts.map(({ user }) => user?.id))];
  const place = (start: number, end: number) => ({
    left: `${((start - from) / (to - from)) * 100}%`,
    width: `${((end - start) / (to - from)) * 100}%`,
  });
  return (
    <figure class="duty">
      <div class="duty-days" aria-hidden="true">
        {daysBetween(from, to).map((day) => (
          <span key={day} style={{ left: `${((day - from) / (to - from)) * 100}%` }}>
            {new Date(day).toLocaleDateString(undefined, { weekday: 'short', day: 'numeric' })}
          </span>
        ))}
      </div>
      <ol class="duty-bar" aria-label={`On call by ${name}`}>
        {[...shifts, ...gaps]
          .sort((a, b) => a.from - b.from)
          .map((part) => {
            const user = 'user' in part ? part.user : null;
            const who = user?.name ?? 'No one';
            const kind = user ? `who-${people.indexOf(user.id) % colours}` : 'gap';
            const isOverride = 'isOverride' in part && part.isOverride;
            const text = `${who}${isOverride ? ' (override)' : ''}: ${showTime(part.from)} to ${showTime(part.to)}`;
            return (
              <li
                key={part.from}
                class={`${kind}${isOverride ? ' override' : ''}`}
                style={place(part.from, part.to)}
                title={text}
              >
                <span class="hide-visually">{text}</span>
                <span aria-hidden="true" class="foreign">
                  {who}
                </span>
              </li>
            );
          })}
      </ol>
    </figure>
  );
}

/** The midnights of the reader. */
function daysBetween(from: number, to: number): number[] {
  const days: number[] = [];
  const day = new Date(from);
  day.setHours(0, 0, 0, 0);
  for (let next = day.getTime() + dayMs; next < to; ) {
    const midnight = new Date(next + dayMs / 2);
    midnight.setHours(0, 0, 0, 0);
    days.push(midnight.getTime());
    next = midnight.getTime() + dayMs;
  }
  return days;
}
