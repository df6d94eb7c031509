import { createChanges } from '../timeSets/nextChange.ts';
import { dayMs } from '../timeSets/timeSet.ts';
import { type Duty, type IsPresent, turnOf } from './onCallAt.ts';
import { type DutySchedule, type Layer, turnAt, turnStart } from './schedule.ts';

/** A time in which the duty does not change. Neighbours may have the same duty. */
export type DutySpan = { duty: Duty | undefined; from: number; to: number };

/**
 * Duties from one instant to another, in their order. Each layer is asked again only when its own turn or times end, so that
 * a span costs next to nothing however many layers and overrides there are.
 */
export function* walkDuties(
  schedule: DutySchedule,
  from: number,
  to: number,
  isPresent: IsPresent,
): Generator<DutySpan> {
  const override = createOverrideWalk(schedule, isPresent);
  const layers = schedule.layers.map((layer) => createLayerWalk(layer, isPresent));
  for (let start = from; start < to; ) {
    const now = override(start);
    let duty: Duty | undefined = now.userId === undefined ? undefined : { userId: now.userId, layer: null };
    let end = Math.min(now.end, to);
    for (const [index, layer] of layers.entries()) {
      const turn = layer(start);
      end = Math.min(end, turn.end);
      if (!duty && turn.userId !== undefined) duty = { userId: turn.userId, layer: index };
    }
    yield { duty, from: start, to: end };
    start = end;
  }
}

/** The user of an override or layer at an instant, and until when that certainly stays so. */
type Turn = { userId: number | undefined; end: number };
/** To be asked for ascending instants. */
type Walk = (instant: number) => Turn;

function createOverrideWalk({ overrides }: DutySchedule, isPresent: IsPresent): Walk {
  const present = overrides.filter(({ userId }) => isPresent(userId));
  const edges = present.flatMap(({ from, to }) => [from, to]).sort((a, b) => a - b);
  let passed = 0;
  return keepUntilEnd((instant) => {
    while (passed < edges.length && edges[passed]! <= instant) passed++;
    const current = present.find(({ from, to }) => instant >= from && instant < to);
    return { userId: current?.userId, end: edges[passed] ?? Number.POSITIVE_INFINITY };
  });
}

/** Days that one look ahead takes. What a restriction says of a day comes again within a week. */
const aheadDays = 8;

function createLayerWalk(layer: Layer, isPresent: IsPresent): Walk {
  const restrictionEnd = createRestrictionWalk(layer);
  return keepUntilEnd((instant) => {
    if (instant < layer.start) return { userId: undefined, end: layer.start };
    const userId = turnOf(layer, instant);
    const isShared = layer.userIds.length > 1;
    const turnEnd = isShared ? turnStart(layer, turnAt(layer, instant) + 1) : Number.POSITIVE_INFINITY;
    return {
      userId: userId !== undefined && isPresent(userId) ? userId : undefined,
      end: Math.min(turnEnd, restrictionEnd(instant)),
    };
  });
}

/** The instant until which the restriction of a layer certainly holds or certainly does not. */
function createRestrictionWalk({ restriction }: Layer): (instant: number) => number {
  if (!restriction) return () => Number.POSITIVE_INFINITY;
  const changes = createChanges(restriction);
  let end = Number.NEGATIVE_INFINITY;
  return (instant) => {
    if (end <= instant) end = changes(instant, aheadDays + 1) ?? instant + aheadDays * dayMs;
    return end;
  };
}

function keepUntilEnd(read: Walk): Walk {
  let last: Turn = { userId: undefined, end: Number.NEGATIVE_INFINITY };
  return (instant) => {
    if (last.end <= instant) last = read(instant);
    return last;
  };
}
