import { beginsOn, dayMinutes, dayMs, minuteMs, type TimeSet } from './timeSet.ts';

/**
 * True if the clocks of the zone show a time of the set at the instant. What clocks show twice counts twice, and what they skip
 * never counts.
 */
export function isWithin({ zone, ranges }: TimeSet, instant: number): boolean {
  const local = instant + zone.offsetAt(instant);
  const today = Math.floor(local / dayMs) * dayMs;
  const minute = Math.floor((local - today) / minuteMs);
  return ranges.some(
    (range) =>
      (minute >= range.from && minute < range.to && beginsOn(range, today)) ||
      (minute + dayMinutes < range.to && beginsOn(range, today - dayMs)),
  );
}
