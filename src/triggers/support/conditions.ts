import type { AbiParameter } from 'abitype';
import { type Static, Type } from 'typebox';
import { abiMember } from '../../codecs/evm/abiMember.ts';
import {
  type ComparisonOperator,
  comparisonOperators,
  compileComparison,
} from '../../codecs/evm/compileComparison.ts';
import type { Fault } from '../../model/errors.ts';

const scalar = { type: ['string', 'number', 'boolean'], maxLength: 10_000 };

/** A value to compare with: numbers too large for JSON as text, several in an array. */
export function Comparand(description: string) {
  return Type.Unsafe<unknown>({
    description,
    type: ['string', 'number', 'boolean', 'array'],
    maxLength: 10_000,
    items: scalar,
    maxItems: 1000,
  });
}

/** Conditions on the values of a call or an event. */
export const Conditions = Type.Array(
  Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'The parameter; a member of a struct as order.amount, an element of a list as ids.0, one without a name by its position.',
      }),
      operator: Type.Unsafe<ComparisonOperator>({
        type: 'string',
        enum: [...comparisonOperators],
        description: 'The comparison; `in` takes an array.',
      }),
      value: Comparand('What to compare with.'),
      ignoreCase: Type.Optional(
        Type.Boolean({ description: 'Compares texts without case. Addresses and bytes have none.' }),
      ),
    },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    maxItems: 50,
    description: `Conditions that must all hold. Each has a name (a parameter, a member of a struct as order.amount, an element of a list as ids.0), an operator (${comparisonOperators.join(', ')}) and a value, for in a list of them. With ignoreCase texts are compared without case.`,
  },
);

type Values = Readonly<Record<string, unknown>>;

/** All conditions as one test, and what is wrong with those that do not fit the parameters. */
export function compileConditions(
  inputs: readonly AbiParameter[],
  conditions: Static<typeof Conditions>,
): { test: (values: Values) => boolean; faults: Fault[] } {
  const tests: ((values: Values) => boolean)[] = [];
  const faults: Fault[] = [];
  for (const [index, { name, operator, value, ignoreCase }] of conditions.entries()) {
    const member = attempt(() => abiMember(inputs, name));
    if ('fault' in member) {
      faults.push({ pointer: `/conditions/${index}/name`, code: 'unknown-parameter', message: member.fault });
      continue;
    }
    const { parameter, read } = member.made;
    const compared = attempt(() => compileComparison(parameter, operator, value, ignoreCase));
    if ('fault' in compared) {
      faults.push({ pointer: `/conditions/${index}/value`, code: 'comparison', message: compared.fault });
      continue;
    }
    tests.push((values) => {
      const actual = read(values);
      // A list can be shorter than the position that is asked for.
      return actual !== undefined && compared.made(actual);
    });
  }
  return { test: (values) => tests.every((test) => test(values)), faults };
}

/** For evaluations: a condition that does not fit must be seen as a fault and not as one that never holds. */
export function refuseFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first) throw new Error(`Its parameters are not valid: /params${first.pointer} ${first.message}`);
}

export function attempt<T>(make: () => T): { made: T } | { fault: string } {
  try {
    return { made: make() };
  } catch (error) {
    if (error instanceof RangeError) return { fault: error.message };
    throw error;
  }
}
