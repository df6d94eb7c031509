import { isWithin } from '../timeSets/isWithin.ts';
import { type DutySchedule, type Layer, turnAt } from './schedule.ts';

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

/** The user whose turn it is in a layer; undefined outside of its times. */
export function turnOf(layer: Layer, instant: number): number | undefined {
  if (instant < layer.start || layer.userIds.length === 0) return undefined;
  if (layer.restriction && !isWithin(layer.restriction, instant)) return undefined;
  return layer.userIds[turnAt(layer, instant) % layer.userIds.length];
}
