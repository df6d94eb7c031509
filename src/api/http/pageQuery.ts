import { Type } from 'typebox';
import { Count, OneOf, Shape } from '../../model/schema.ts';

/** The page of a log to read, newest first. */
export function pageQuery<const S extends readonly string[]>(states: S, example: S[number]) {
  return Type.Unsafe<{ from?: number; size?: number; state?: S[number] }>(
    Shape(
      {
        from: Count('Skip this many.', 0),
        size: Type.Integer({
          description: 'At most this many; 10 if left out.',
          minimum: 0,
          maximum: 1000,
          examples: [10],
        }),
        state: OneOf(states, 'Only those in this state.', example),
      },
      [],
    ),
  );
}
