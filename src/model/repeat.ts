import { isDuration, parseDuration } from '../lib/duration.ts';

/** Intervals of repeated reports while a condition on a value holds, beside a length of time. */
export const once = 'once';
export const everyLook = 'every look';

export function isRepeat(text: string): boolean {
  return text === once || text === everyLook || (isDuration(text) && parseDuration(text) > 0);
}
