import { type Fault, unprocessable } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import { compileSchedule, type ScheduleInput } from '../../query/onCall/schedule.ts';
import { hasShift } from '../../query/onCall/shiftsBetween.ts';
import { findPeople, type Person } from '../../store/onCall/people.ts';
import { lockRecords, type Row } from '../../store/records/records.ts';
import type { scheduleTable } from '../../store/tables/scheduleTable.ts';
import { userTable } from '../../store/tables/userTable.ts';
import type { Call } from '../call.ts';
import { checkZone, rangeFaults } from '../destinations/prepareTimeSet.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';

const dayMs = 86_400_000;
/** A schedule must have someone within this time. */
const checkedMs = 92 * dayMs;
const maxOverrideMs = 366 * dayMs;

type Change = ChangeOf<typeof scheduleTable>;
type Input = Change['input'];

/** Refuses a schedule that has no one, and users of other tenants. The users are locked, so that none is deleted meanwhile. */
export async function prepareSchedule(call: Call, change: Change): Promise<Row> {
  const { input, current } = change;
  if (input.zone !== undefined) checkZone(input.zone, '/zone');
  for (const [index, { zone }] of (input.layers ?? []).entries())
    if (zone != null) checkZone(zone, `/layers/${index}/zone`);
  const faults = [...(input.layers ?? []).flatMap(layerFaults), ...overrideFaults(input.overrides ?? [])];
  if (faults.length > 0) throw invalidInput(faults);
  const schedule = {
    zone: input.zone ?? current?.zone ?? 'UTC',
    layers: input.layers ?? current?.layers ?? [],
    overrides: input.overrides ?? current?.overrides ?? [],
  };
  const userIds = namedUsers(schedule, call.now);
  const people = await findUsers(call, tenantOf(change), input, userIds);
  await refuseNobody(schedule, people, call.now);
  return { ...input, userIds };
}

function layerFaults(layer: NonNullable<Input['layers']>[number], index: number): Fault[] {
  const pointer = `/layers/${index}`;
  const faults = (layer.restrictions ?? []).flatMap((range, number) =>
    rangeFaults(range, `${pointer}/restrictions/${number}`),
  );
  if (layer.unit === 'HOURS' && layer.handover != null)
    faults.push({
      pointer: `${pointer}/handover`,
      code: 'unused',
      message: 'belongs to turns of days and weeks: turns of hours follow each other from `start` on.',
    });
  return faults;
}

function overrideFaults(overrides: readonly ScheduleInput['overrides'][number][]): Fault[] {
  const faults: Fault[] = [];
  const add = (index: number, code: string, message: string) =>
    faults.push({ pointer: `/overrides/${index}/to`, code, message });
  const sorted = overrides.map((override, index) => ({ ...override, index })).sort((a, b) => a.from - b.from);
  let last: (typeof sorted)[number] | undefined;
  for (const override of sorted) {
    const { from, to, index } = override;
    if (to <= from) add(index, 'order', 'must be after `from`.');
    else if (to - from > maxOverrideMs)
      add(index, 'too-long', 'must be at most 366 days after `from`: change a layer for longer.');
    else if (last && from < last.to)
      add(index, 'overlap', `overlaps override ${last.index}: no one could tell which of the two counts.`);
    if (!last || to > last.to) last = override;
  }
  return faults;
}

function namedUsers({ layers, overrides }: ScheduleInput, now: number): number[] {
  const ofOverrides = overrides.flatMap(({ userId, to }) => (to > now ? [userId] : []));
  return [...new Set([...layers.flatMap(({ userIds }) => userIds), ...ofOverrides])].sort((a, b) => a - b);
}

/** Names the members with users that the tenant does not have; those of other tenants are reported like missing ones. */
async function findUsers(
  { db }: Call,
  tenantId: number,
  { layers = [], overrides = [] }: Input,
  userIds: readonly number[],
): Promise<Map<number, Person>> {
  const ids = [...new Set([...userIds, ...overrides.map(({ userId }) => userId)])];
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const found = await lockRecords(db, userTable, scope, ids, 'read');
  const message = 'There is no user with this id.';
  const missing = (pointer: string, id: number): Fault[] =>
    found.has(id) ? [] : [{ pointer, code: 'unknown-reference', message }];
  const faults = [
    ...layers.flatMap((layer, index) =>
      layer.userIds.flatMap((id, turn) => missing(`/layers/${index}/userIds/${turn}`, id)),
    ),
    ...overrides.flatMap(({ userId }, index) => missing(`/overrides/${index}/userId`, userId)),
  ];
  const [first] = faults;
  if (first) throw unprocessable(first.pointer, first.code, first.message);
  return findPeople(db, tenantId, userIds);
}

async function refuseNobody(
  input: ScheduleInput,
  people: ReadonlyMap<number, Person>,
  now: number,
): Promise<void> {
  const isPresent = (id: number) => people.get(id)?.isActive === true;
  if (await hasShift(compileSchedule(input), now, now + checkedMs, isPresent)) return;
  const active = [...people.values()].filter(({ isActive }) => isActive);
  throw unprocessable(
    '/layers',
    'nobody',
    active.length === 0
      ? 'name no user who is active, so that no one would ever be called.'
      : 'have no one on call within the next 92 days. Let a layer start earlier, or allow more times.',
  );
}
