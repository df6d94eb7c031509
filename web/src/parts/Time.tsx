import { signal } from '@preact/signals';
import { showAgo, showShortTime, showTime } from '../state/format.ts';

/** Moves all relative times on screen together. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5000);

/** A moment: how long ago, or the time of day with `exact`; the whole date as its title. */
export function Time({ at, exact = false }: { at: number | null | undefined; exact?: boolean }) {
  if (at === null || at === undefined) return <span class="dim">never</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={showTime(at)}>
      {exact ? showShortTime(at) : showAgo(at, Math.max(now.value, at > Date.now() ? 0 : at))}
    </time>
  );
}
