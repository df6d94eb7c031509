import { isDeepStrictEqual } from 'node:util';
import { evaluateCondition, parseCondition } from '../lib/condition.ts';
import { type Decimal, formatDecimal, parseDecimal } from '../lib/decimal.ts';

/** What a condition needs to know of the sample before: its value, and whether an edge is disarmed. */
export type SampleState = { readonly value?: string; readonly armed?: boolean };

export type Judgement = { readonly fires: boolean; readonly previous?: string; readonly after: SampleState };

/** Whether a sample meets a written condition, and what to keep for the next; nothing where the condition does not look back. */
export function judgeSample(text: string, value: Decimal, before: SampleState = {}): Judgement {
  const condition = parseCondition(text);
  const looksBack = condition.isPercent || condition.operator === '++' || condition.operator === '--';
  const previous = looksBack ? before.value : undefined;
  const { fires, armed } = evaluateCondition(condition, {
    value,
    previous: previous === undefined ? undefined : parseDecimal(previous),
    armed: before.armed,
  });
  return {
    fires,
    ...(previous !== undefined && { previous }),
    after: {
      ...(looksBack && { value: formatDecimal(value) }),
      ...(condition.isEdge && !armed && { armed }),
    },
  };
}

/** The part of an evaluation result that stores a state: nothing when it is unchanged, because each change is a row written. */
export function keepState<State extends object>(
  before: State | undefined,
  after: State,
): { readonly state?: State } {
  return isDeepStrictEqual(before ?? {}, after) ? {} : { state: after };
}
