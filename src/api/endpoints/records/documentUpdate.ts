import { isDeepStrictEqual } from 'node:util';
import { type Static, type TSchema, Type } from 'typebox';
import { Shape } from '../../../model/schema.ts';
import { invalidInput } from '../../../model/validate.ts';
import type { Row } from '../../../store/records/records.ts';
import { readOnlyFault } from '../../http/readUpdate.ts';

/**
 * The body of a change to a document: only members in `changing` change, the rest may come back as read. Those in
 * `passing` change by themselves and are ignored.
 */
export function documentUpdate<C extends Record<string, TSchema>>(
  shown: Readonly<Record<string, TSchema>>,
  changing: C,
  passing: readonly string[] = [],
) {
  const echoed = Object.entries(shown).map(
    ([name, schema]) => [name, Type.Unsafe({ ...schema, readOnly: true })] as const,
  );
  type Change = { [N in keyof C]?: Static<C[N]> };
  return {
    body: Type.Unsafe<Change & Row>(Shape({ ...Object.fromEntries(echoed), ...changing }, [])),

    /** Refuses a member that Vigil sets and that came back with another value. */
    check(body: Row, current: Row): void {
      const faults = Object.keys(body)
        .filter((name) => !Object.hasOwn(changing, name) && !passing.includes(name))
        .filter((name) => !isDeepStrictEqual(body[name], current[name]))
        .map((name) => readOnlyFault(`/${name}`));
      if (faults.length > 0) throw invalidInput(faults);
    },
  };
}
