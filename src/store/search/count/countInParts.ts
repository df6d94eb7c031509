import { performance } from 'node:perf_hooks';
import { Problem } from '../../../model/errors.ts';
import { isTimeLimit } from '../../records/reportSlowSearch.ts';
import { dayMs } from '../rollups/rollups.ts';

/** Times from `from` on, up to `beyond` if that is given. */
export type Part = { from: number; beyond?: number | undefined };
export type CountPart = (part: Part, limit: number) => Promise<number>;

/** For all parts of a count together; each is a statement with the time limit of its connection. */
export const countLimitMs = 15_000;
/** A part that took less is followed by a longer one, one that took more by one half as long. */
const [shortMs, longMs] = [250, 750];
/** Shorter parts cut a month, of which PostgreSQL then rather reads all documents of that time than looks for terms. */
const monthDays = 28;

/**
 * Counts documents in parts of time, newest first, up to a limit, because one count would exceed the statement's time
 * limit. Part lengths follow the speed so far; a part that fails is divided.
 */
export async function countInParts(
  count: CountPart,
  whole: Part,
  { limit, now, endsAt }: { limit: number; now: number; endsAt: number },
): Promise<number> {
  let total = 0;
  let days = monthDays;
  let { beyond } = whole;
  while ((beyond === undefined || beyond > whole.from) && total < limit) {
    const from = Math.max(whole.from, beginOfPart(beyond === undefined ? now : beyond - 1, days));
    const startedAt = performance.now();
    if (startedAt > endsAt) throw new Problem('unavailable', 'Counting is over its time limit.');
    try {
      total += await count({ from, beyond }, limit - total);
    } catch (error) {
      if (days === 1 || !isTimeLimit(error)) throw error;
      days = Math.ceil(days / 4);
      continue;
    }
    beyond = from;
    const ms = performance.now() - startedAt;
    if (ms < shortMs) days *= ms < shortMs / 10 ? 8 : 2;
    else if (ms > longMs) days = Math.max(Math.min(days, monthDays), Math.ceil(days / 2));
  }
  return total;
}

/** Of the part with about so many days whose last moment this is; a month or more begins with a month. */
function beginOfPart(last: number, days: number): number {
  if (days < monthDays) return (Math.floor(last / dayMs) - days + 1) * dayMs;
  const date = new Date(last);
  return Math.max(0, Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - Math.floor(days / monthDays) + 1));
}
