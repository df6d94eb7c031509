import { isWithin } from '../timeSets/isWithin.ts';
import { nextChange } from '../timeSets/nextChange.ts';
import { dayMs } from '../timeSets/timeSet.ts';
import { type DutySchedule, type Layer, turnAt, turnStart } from './schedule.ts';

/** The user on call. `layer` is the index of the layer that says so, or null for an override. */
export type Duty = { userId: number; layer: number | null };

/** True for users who can be on call; turns of all others are empty. */
export type IsPresent = (userId: number) => boolean;

/** The user on call at an instant; undefined if there is no one. */
export function onCallAt(schedule: DutySchedule, instant: number, isPresent: IsPresent): Duty | undefined {
  const override = schedule.overrides.find(
    ({ userId, from, to }) => instant >= from && instant < to && isPresent(userId),
  );
  if (override) return { userId: override.userId, layer: null };
  for (const [layer, rotation] of schedule.layers.entries()) {
    const userId = turnOf(rotation, instant);
    if (userId !== undefined && isPresent(userId)) return { userId, layer };
  }
  return undefined;
}

function turnOf(layer: Layer, instant: number): number | undefined {
  if (instant < layer.start || layer.userIds.length === 0) return undefined;
  if (layer.restriction && !isWithin(layer.restriction, instant)) return undefined;
  return layer.userIds[turnAt(layer, instant) % layer.userIds.length];
}

/** Days that one look ahead takes. What a restriction says of a day comes again within a week. */
const aheadDays = 8;

/**
 * Gives the next instant at which the duty may change or has to be asked again; undefined if it stays. Ask for ascending instants,
 * because results of each layer are cached.
 */
export function createHandovers({
  layers,
  overrides,
}: DutySchedule): (instant: number) => number | undefined {
  const edges = overrides.flatMap(({ from, to }) => [from, to]).sort((a, b) => a - b);
  const ends = layers.map(() => Number.NEGATIVE_INFINITY);
  let passed = 0;
  return (instant) => {
    for (const [index, layer] of layers.entries())
      if (ends[index]! <= instant) ends[index] = endOf(layer, instant);
    while (passed < edges.length && edges[passed]! <= instant) passed++;
    const next = Math.min(edges[passed] ?? Number.POSITIVE_INFINITY, ...ends);
    return Number.isFinite(next) ? next : undefined;
  };
}

function endOf(layer: Layer, instant: number): number {
  if (instant < layer.start) return layer.start;
  const turn =
    layer.userIds.length > 1 ? turnStart(layer, turnAt(layer, instant) + 1) : Number.POSITIVE_INFINITY;
  if (!layer.restriction) return turn;
  const change = nextChange(layer.restriction, instant, aheadDays + 1);
  return Math.min(turn, change ?? instant + aheadDays * dayMs);
}
