import { compileTimeSet, dayMs, minuteMs, type TimeRange, type TimeSet } from '../timeSets/timeSet.ts';
import { parseTimeZone, type TimeZone } from '../timeZone.ts';

export const rotationUnits = ['HOURS', 'DAYS', 'WEEKS'] as const;

/**
 * People who take turns, in their order. Turns of days and weeks change when the clocks of the zone show `handover`, which is
 * the local time of `start` if null. Turns of hours are real hours from `start` on.
 */
export type LayerInput = {
  userIds: readonly number[];
  unit: (typeof rotationUnits)[number];
  every: number;
  start: number;
  handover?: string | null;
  /** That of the schedule if null. */
  zone?: string | null;
  /** The times at which the layer counts; all if empty. */
  restrictions?: readonly Pick<TimeRange, 'from' | 'to' | 'weekdays'>[];
};

type Override = { userId: number; from: number; to: number };

export type ScheduleInput = {
  zone: string;
  layers: readonly LayerInput[];
  overrides: readonly Override[];
};

/** The first layer that has someone counts. An override goes before all layers. */
export type DutySchedule = { readonly layers: readonly Layer[]; readonly overrides: readonly Override[] };

export type Layer = {
  readonly userIds: readonly number[];
  readonly start: number;
  readonly zone: TimeZone;
  /** Length of a turn: real milliseconds, or days of the calendar. */
  readonly turnMs: number | undefined;
  readonly turnDays: number;
  /** Local time of the handover on the date on which the layer starts. */
  readonly firstHandover: number;
  readonly restriction: TimeSet | undefined;
};

/** Throws the problem `invalid-time-zone` for an unknown zone. */
export function compileSchedule({ zone, layers, overrides }: ScheduleInput): DutySchedule {
  return { layers: layers.map((layer) => compileLayer(layer, zone)), overrides };
}

function compileLayer(input: LayerInput, scheduleZone: string): Layer {
  const { userIds, unit, every, start, handover, restrictions = [] } = input;
  const zoneName = input.zone ?? scheduleZone;
  const zone = parseTimeZone(zoneName, '/zone');
  const local = start + zone.offsetAt(start);
  const date = Math.floor(local / dayMs) * dayMs;
  return {
    userIds,
    start,
    zone,
    turnMs: unit === 'HOURS' ? every * 60 * minuteMs : undefined,
    turnDays: unit === 'WEEKS' ? every * 7 : every,
    firstHandover: handover == null ? local : date + toMinutes(handover) * minuteMs,
    restriction:
      restrictions.length > 0 ? compileTimeSet({ zone: zoneName, ranges: restrictions }) : undefined,
  };
}

function toMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** The number of handovers that have happened since the layer began. */
export function turnAt(layer: Layer, instant: number): number {
  if (layer.turnMs !== undefined) return Math.floor((instant - layer.start) / layer.turnMs);
  const local = instant + layer.zone.offsetAt(instant);
  let turn = Math.max(0, Math.floor((local - layer.firstHandover) / (layer.turnDays * dayMs)));
  // The clocks may have been set back or forward around a handover.
  while (turn > 0 && turnStart(layer, turn) > instant) turn--;
  while (turnStart(layer, turn + 1) <= instant) turn++;
  return turn;
}

/** The instant at which a turn begins; the first one is 0. */
export function turnStart(layer: Layer, turn: number): number {
  if (turn <= 0) return layer.start;
  if (layer.turnMs !== undefined) return layer.start + turn * layer.turnMs;
  return firstInstantOf(layer.zone, layer.firstHandover + turn * layer.turnDays * dayMs);
}

/** The first instant at which the clocks of a zone have reached a local time, which they may skip or show twice. */
function firstInstantOf(zone: TimeZone, local: number): number {
  const before = zone.offsetAt(local - dayMs);
  const guess = local - before;
  const after = zone.offsetAt(guess);
  if (after === before) return guess;
  return Math.max(zone.changeBefore(guess), local - after);
}
