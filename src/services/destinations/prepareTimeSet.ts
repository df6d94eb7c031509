import { nearest } from '../../lib/nearest.ts';
import { type Fault, invalid, Problem } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import { compileTimeSet, type TimeRange } from '../../query/timeSets/timeSet.ts';
import type { Row } from '../../store/records/records.ts';
import type { timeSetTable } from '../../store/tables/timeSetTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';

export function prepareTimeSet(_call: Call, { input }: ChangeOf<typeof timeSetTable>): Row {
  if (input.zone !== undefined) checkZone(input.zone, '/zone');
  const faults = (input.ranges ?? []).flatMap((range, index) => rangeFaults(range, `/ranges/${index}`));
  if (faults.length > 0) throw invalidInput(faults);
  return input;
}

export function checkZone(zone: string, pointer: string): void {
  try {
    compileTimeSet({ zone, ranges: [] });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const closest = nearest(zone, Intl.supportedValuesOf('timeZone'));
    const hint = closest ? ` Did you mean ${closest}?` : '';
    throw invalid(
      pointer,
      'invalid-time-zone',
      `'${zone.slice(0, 40)}' is no time zone: give UTC, an IANA name such as Europe/Paris, or an offset such as +05:45.${hint}`,
    );
  }
}

/** The faults of one range at a pointer that no schema sees. */
export function rangeFaults({ from, to, daysOfMonth, months }: TimeRange, pointer: string): Fault[] {
  const faults: Fault[] = [];
  const add = (member: string, code: string, message: string) =>
    faults.push({ pointer: `${pointer}/${member}`, code, message });
  if (from === '24:00') add('from', 'range', 'must be before 24:00, at which the day has ended.');
  for (const [member, text] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (text?.startsWith('24:') && text !== '24:00') add(member, 'range', 'must be 24:00 at most.');
  if (from != null && to != null && from === to)
    add('to', 'empty-range', 'must differ from `from`; leave both out for the whole day.');
  if (daysOfMonth?.includes(0))
    add('daysOfMonth', 'range', 'must not name day 0: days count from 1, or from -1 back.');
  else if (isNever(daysOfMonth, months))
    add('daysOfMonth', 'never', 'never come: none of `months` has one of these days.');
  return faults;
}

function isNever(days: readonly number[] = [], months: readonly number[] = []): boolean {
  if (days.length === 0 || months.length === 0) return false;
  const longest = Math.max(
    ...months.map((month) => (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31)),
  );
  return days.every((day) => Math.abs(day) > longest);
}
