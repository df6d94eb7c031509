import { invalid, Problem } from '../../model/errors.ts';
import { onCallAt } from '../../query/onCall/onCallAt.ts';
import { compileSchedule, type DutySchedule } from '../../query/onCall/schedule.ts';
import { dutyEnd, type Gap, maxShifts, shiftsBetween } from '../../query/onCall/shiftsBetween.ts';
import { findPeople, type Person } from '../../store/onCall/people.ts';
import type { StoredSchedule } from '../../store/onCall/schedules.ts';
import { findRecord } from '../../store/records/records.ts';
import { scheduleTable } from '../../store/tables/scheduleTable.ts';
import type { Call } from '../call.ts';

const dayMs = 86_400_000;
const horizonMs = 366 * dayMs;
/** The longest time whose shifts one request lists. */
export const maxShiftDays = 92;

type Opened = { stored: StoredSchedule; schedule: DutySchedule; people: Map<number, Person> };

export type OnCallUser = { id: number; name: string; email: string };

/** The user on call at an instant, until when, and by which layer. */
export async function readOnCall(call: Call, id: number, at = call.now) {
  const opened = await openSchedule(call, id);
  const { schedule, people } = opened;
  const duty = onCallAt(schedule, at, isPresentIn(people));
  const end = await dutyEnd(schedule, at, isPresentIn(people), horizonMs);
  const next = end === undefined ? undefined : onCallAt(schedule, end, isPresentIn(people));
  return {
    at,
    user: toUser(people, duty?.userId),
    layer: duty?.layer ?? null,
    layerName: layerName(opened.stored, duty?.layer),
    isOverride: duty?.layer === null,
    until: end ?? null,
    next: toUser(people, next?.userId),
  };
}

/** The shifts of a time, its gaps with their hours, and who leaves a hole because the account is disabled. */
export async function readShifts(call: Call, id: number, from = call.now, to = from + 14 * dayMs) {
  if (to <= from) throw invalid('/to', 'order', 'must be after `from`.');
  if (to - from > maxShiftDays * dayMs)
    throw invalid('/to', 'too-long', `must be at most ${maxShiftDays} days after \`from\`: ask for parts.`);
  const { stored, schedule, people } = await openSchedule(call, id);
  const { shifts, gaps, end } = await shiftsBetween(schedule, from, to, isPresentIn(people));
  if (end < to)
    throw invalid(
      '/to',
      'too-many',
      `must be at or before ${new Date(end).toISOString()}: until then there are ${maxShifts.toLocaleString('en')} shifts and gaps, and one answer has no more.`,
    );
  return {
    from,
    to,
    shifts: shifts.map((shift) => ({
      from: shift.from,
      to: shift.to,
      user: toUser(people, shift.userId),
      layer: shift.layer,
      layerName: layerName(stored, shift.layer),
      isOverride: shift.layer === null,
    })),
    gaps: gaps.map((gap) => ({ ...gap, hours: hoursOf(gap) })),
    warnings: [...gapWarnings(gaps), ...absentWarnings(stored, people)],
  };
}

async function openSchedule({ db, scope }: Call, id: number): Promise<Opened> {
  const record = await findRecord(db, scheduleTable, scope, id, [
    'id',
    'tenantId',
    'name',
    'zone',
    'layers',
    'overrides',
  ]);
  if (!record) throw new Problem('not-found', 'There is no such schedule.');
  const stored: StoredSchedule = record;
  const ids = [
    ...stored.layers.flatMap(({ userIds }) => userIds),
    ...stored.overrides.map(({ userId }) => userId),
  ];
  return {
    stored,
    schedule: compileSchedule(stored),
    people: await findPeople(db, stored.tenantId, [...new Set(ids)]),
  };
}

export function isPresentIn(people: ReadonlyMap<number, Person>): (id: number) => boolean {
  return (id) => people.get(id)?.isActive === true;
}

function toUser(people: ReadonlyMap<number, Person>, id: number | undefined): OnCallUser | null {
  const person = id === undefined ? undefined : people.get(id);
  return person ? { id: person.id, name: person.name, email: person.email } : null;
}

function layerName(
  { layers }: Pick<StoredSchedule, 'layers'>,
  layer: number | null | undefined,
): string | null {
  if (layer == null) return null;
  return (layers[layer] as { name?: string | null } | undefined)?.name ?? `Layer ${layer + 1}`;
}

const hoursOf = ({ from, to }: Gap) => Math.round(((to - from) / 3_600_000) * 100) / 100;

function gapWarnings(gaps: readonly Gap[]): string[] {
  if (gaps.length === 0) return [];
  const hours = Math.round(gaps.reduce((sum, gap) => sum + hoursOf(gap), 0) * 100) / 100;
  return [
    `No one is on call for ${hours} hours, in ${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'}: a step of a chain that comes then passes to the next one.`,
  ];
}

function absentWarnings(
  { layers, overrides }: StoredSchedule,
  people: ReadonlyMap<number, Person>,
): string[] {
  const ids = new Set([
    ...layers.flatMap(({ userIds }) => userIds),
    ...overrides.map(({ userId }) => userId),
  ]);
  return [...ids].flatMap((id) => {
    const person = people.get(id);
    if (person?.isActive) return [];
    const name = person?.name ?? `User ${id}`;
    return [
      `${name} cannot be called, because the account is ${person ? 'disabled' : 'deleted'}: these turns are empty.`,
    ];
  });
}
