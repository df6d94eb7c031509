import { isWithin } from '../timeSets/isWithin.ts';
import { statesOn } from '../timeSets/nextChange.ts';
import { dayMs, type TimeSet } from '../timeSets/timeSet.ts';
import { type DutySchedule, type Layer, turnAt, turnStart } from './schedule.ts';

/** The user on call. `layer` is the index of the layer that says so, or null for an override. */
export type Duty = { userId: number; layer: number | null };

/** True for users who can be on call; turns of all others are empty. */
export type IsPresent = (userId: number) => boolean;

/** The user on call at an instant; undefined if there is no one. */
export function onCallAt(schedule: DutySchedule, instant: number, isPresent: IsPresent): Duty | undefined {
  const override = overrideAt(schedule.overrides, instant, isPresent);
  if (override) return override;
  for (const [layer, rotation] of schedule.layers.entries()) {
    const userId = turnOf(rotation, instant);
    if (userId !== undefined && isPresent(userId)) return { userId, layer };
  }
  return undefined;
}

function overrideAt(
  overrides: DutySchedule['overrides'],
  instant: number,
  isPresent: IsPresent,
): Duty | undefined {
  const override = overrides.find(
    ({ userId, from, to }) => instant >= from && instant < to && isPresent(userId),
  );
  return override && { userId: override.userId, layer: null };
}

function turnOf(layer: Layer, instant: number): number | undefined {
  if (instant < layer.start || layer.userIds.length === 0) return undefined;
  if (layer.restriction && !isWithin(layer.restriction, instant)) return undefined;
  return layer.userIds[turnAt(layer, instant) % layer.userIds.length];
}

/** The duty from an instant on, and the instant at which it may change or has to be asked again. */
export type DutyUntil = { duty: Duty | undefined; until: number };

/**
 * Follows a schedule through time; ask for ascending instants. Layers and overrides are read again only when they may have changed,
 * so that a year of the worst schedule takes milliseconds.
 */
export function createDuties(
  { layers, overrides }: DutySchedule,
  isPresent: IsPresent,
): (instant: number) => DutyUntil {
  const rotations = layers.map((layer) => createRotation(layer, isPresent));
  const edges = overrides.flatMap(({ from, to }) => [from, to]).sort((a, b) => a - b);
  let passed = 0;
  let override: Duty | undefined;
  let isFirst = true;
  return (instant) => {
    const before = passed;
    while (passed < edges.length && edges[passed]! <= instant) passed++;
    if (isFirst || passed > before) override = overrideAt(overrides, instant, isPresent);
    isFirst = false;
    let duty = override;
    let until = edges[passed] ?? Number.POSITIVE_INFINITY;
    for (const [layer, rotation] of rotations.entries()) {
      const { userId, end } = rotation(instant);
      until = Math.min(until, end);
      if (userId !== undefined) duty ??= { userId, layer };
    }
    return { duty, until };
  };
}

/** The present user of a layer, for ascending instants, and when to ask again. */
function createRotation(
  layer: Layer,
  isPresent: IsPresent,
): (instant: number) => { userId: number | undefined; end: number } {
  const { start, userIds, restriction } = layer;
  let turn: { userId: number | undefined; end: number } = {
    userId: undefined,
    end: userIds.length > 0 ? start : Number.POSITIVE_INFINITY,
  };
  let allowed = { holds: true, end: Number.NEGATIVE_INFINITY };
  const allowedAt = restriction ? createRestriction(restriction) : undefined;
  return (instant) => {
    if (turn.end <= instant) {
      const number = turnAt(layer, instant);
      const userId = userIds[number % userIds.length]!;
      const end = userIds.length > 1 ? turnStart(layer, number + 1) : Number.POSITIVE_INFINITY;
      turn = { userId: isPresent(userId) ? userId : undefined, end };
    }
    if (!allowedAt || turn.userId === undefined) return turn;
    if (allowed.end <= instant) allowed = allowedAt(instant);
    return {
      userId: allowed.holds ? turn.userId : undefined,
      end: Math.min(turn.end, allowed.end),
    };
  };
}

/** Whether a restriction allows its layer, for ascending instants, and until when at least. Reads a day of UTC at a time. */
function createRestriction(restriction: TimeSet): (instant: number) => { holds: boolean; end: number } {
  let dayEnd = Number.NEGATIVE_INFINITY;
  let states: { from: number; holds: boolean }[] = [];
  return (instant) => {
    if (instant >= dayEnd) {
      const start = Math.floor(instant / dayMs) * dayMs;
      dayEnd = start + dayMs;
      states = statesOn(restriction, start);
    }
    const current = states.findLastIndex(({ from }) => from <= instant);
    const holds = states[current]?.holds ?? false;
    const next = states.slice(current + 1).find((state) => state.holds !== holds);
    return { holds, end: next?.from ?? dayEnd };
  };
}
