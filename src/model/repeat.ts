import { isDuration, parseDuration } from '../lib/duration.ts';

/** How often a condition on a value is reported while it holds, beside a length of time. */
export const once = 'once';
export const everyLook = 'every look';

export function isRepeat(text: string): boolean {
  return text === once || text === everyLook || (isDuration(text) && parseDuration(text) > 0);
}
