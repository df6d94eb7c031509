import type { ValueTest } from './bindTest.ts';
import type { Bound } from './bindValue.ts';

/** The test with its texts in lower case, for values that are brought there too. */
export function lowerCase(test: ValueTest): ValueTest {
  switch (test.type) {
    case 'compare':
      return { ...test, value: lower(test.value) };
    case 'in':
      return { ...test, values: test.values.map(lower) };
    case 'between':
      return { ...test, low: lower(test.low), high: lower(test.high) };
    case 'like':
      return { type: 'like', like: { pattern: test.like.pattern.toLowerCase(), upper: '', lower: '' } };
  }
}

function lower(bound: Bound): Bound {
  return typeof bound.value === 'string' ? { ...bound, value: bound.value.toLowerCase() } : bound;
}
