import { isDeepStrictEqual } from 'node:util';
import { evaluateCondition, parseCondition } from '../lib/condition.ts';
import { type Decimal, formatDecimal, parseDecimal } from '../lib/decimal.ts';
import { judgeRepeat, type RepeatJudgement, type RepeatState, type Repeats } from './repeats.ts';

/** State that a condition needs from the sample before: its value, and whether and when it was reported. */
export type SampleState = RepeatState & { readonly value?: string };

export type SampleJudgement = RepeatJudgement & { readonly previous?: string; readonly after: SampleState };

type Settings = Repeats & { readonly condition: string };

/**
 * Judges a sample by a written condition and gives the state for the next; undefined where the condition does not look
 * back. `alsoHolds` is a further condition.
 */
export function judgeSample(
  { condition: text, ...repeats }: Settings,
  value: Decimal,
  time: number,
  before: SampleState = {},
  alsoHolds = true,
): SampleJudgement {
  const condition = parseCondition(text);
  const looksBack = condition.isPercent || condition.operator === '++' || condition.operator === '--';
  const previous = looksBack ? before.value : undefined;
  const { holds } = evaluateCondition(condition, {
    value,
    previous: previous === undefined ? undefined : parseDecimal(previous),
  });
  // A change is over as soon as it has happened, so that only what stays can end or be repeated.
  const rule = looksBack ? { repeat: 'every look', reportEnd: false } : repeats;
  const judged = judgeRepeat(rule, holds && alsoHolds, time, before, condition.isEdge);
  return {
    ...judged,
    ...(previous !== undefined && { previous }),
    after: { ...judged.after, ...(looksBack && { value: formatDecimal(value) }) },
  };
}

/** The part of an evaluation result that stores a state: nothing when it is unchanged, because each change is a row written. */
export function keepState<State extends object>(
  before: State | undefined,
  after: State,
): { readonly state?: State } {
  return isDeepStrictEqual(before ?? {}, after) ? {} : { state: after };
}
