import type { AbiParameter } from 'abitype';
import { foldCase } from '../../lib/foldCase.ts';
import { eventTopic } from './abi.ts';
import { toAbiValue } from './toAbiValue.ts';

export const comparisonOperators = [
  '==',
  '!=',
  '>',
  '<',
  '>=',
  '<=',
  'in',
  'contains',
  'starts_with',
  'ends_with',
] as const;
export type ComparisonOperator = (typeof comparisonOperators)[number];

type Test = (actual: unknown) => boolean;

/**
 * Makes a test of decoded values of an ABI type. An operator or a value that does not fit the type is a RangeError that says
 * what would be right.
 */
export function compileComparison(
  parameter: AbiParameter,
  operator: ComparisonOperator,
  wanted: unknown,
  ignoreCase = false,
): Test {
  const kind = kindOf(parameter);
  if (ignoreCase && (kind === 'number' || kind === 'bool'))
    throw new RangeError(`ignoreCase is for texts; values of type ${parameter.type} have no case.`);
  const equality = (type: AbiParameter, value: unknown) => equalTo(type, value, ignoreCase);
  if (!fitting[kind].includes(operator))
    throw new RangeError(
      `${operator} does not fit values of type ${parameter.type}; ${fitting[kind].join(', ')} do.`,
    );
  switch (operator) {
    case '==':
      return equality(parameter, wanted);
    case '!=': {
      const isEqual = equality(parameter, wanted);
      return (actual) => !isEqual(actual);
    }
    case 'in': {
      if (!Array.isArray(wanted) || wanted.length === 0)
        throw new RangeError('in needs an array of values to look in.');
      const tests = wanted.map((item) => equality(parameter, item));
      return (actual) => tests.some((test) => test(actual));
    }
    case 'contains':
      return kind === 'list'
        ? hasItem(equality(elementOf(parameter)!, wanted))
        : textTest(kind, operator, wanted, ignoreCase);
    case 'starts_with':
    case 'ends_with':
      return textTest(kind, operator, wanted, ignoreCase);
    case '>':
    case '<':
    case '>=':
    case '<=':
      return inequality(parameter, operator, wanted);
  }
}

/** The type of the elements of an ABI list; undefined for what is no list. */
export function elementOf(parameter: AbiParameter): AbiParameter | undefined {
  if (!parameter.type.endsWith(']')) return undefined;
  return { ...parameter, name: '', type: parameter.type.slice(0, parameter.type.lastIndexOf('[')) };
}

type Kind = 'number' | 'bool' | 'hex' | 'text' | 'list' | 'struct';

const textual: readonly ComparisonOperator[] = ['==', '!=', 'in', 'contains', 'starts_with', 'ends_with'];
const fitting: Readonly<Record<Kind, readonly ComparisonOperator[]>> = {
  number: ['==', '!=', '>', '<', '>=', '<=', 'in'],
  bool: ['==', '!=', 'in'],
  hex: textual,
  text: textual,
  list: ['==', '!=', 'contains'],
  struct: ['==', '!='],
};

function kindOf({ type }: AbiParameter): Kind {
  if (type.endsWith(']')) return 'list';
  if (/^u?int\d*$/.test(type)) return 'number';
  if (type === 'bool') return 'bool';
  if (type === 'string') return 'text';
  return type.startsWith('tuple') ? 'struct' : 'hex';
}

function equalTo(parameter: AbiParameter, wanted: unknown, ignoreCase: boolean): Test {
  const value = toAbiValue(parameter, wanted, 'The value');
  // An indexed text leaves only its hash on the chain.
  const hash = parameter.type === 'string' && !ignoreCase ? eventTopic(String(value)) : undefined;
  return (actual) => isSame(actual, value, ignoreCase) || (hash !== undefined && actual === hash);
}

function isSame(actual: unknown, value: unknown, ignoreCase: boolean): boolean {
  if (ignoreCase && typeof value === 'string') return foldCase(String(actual)) === foldCase(value);
  // Decoding gives small integers as numbers and large ones as big integers.
  if (typeof value === 'bigint') return actual !== null && wholeOf(actual) === value;
  if (typeof value !== 'object' || value === null) return actual === value;
  if (typeof actual !== 'object' || actual === null) throw onlyHash();
  const names = Object.keys(value);
  return (
    names.length === Object.keys(actual).length &&
    names.every((name) => isSame(Reflect.get(actual, name), Reflect.get(value, name), ignoreCase))
  );
}

function wholeOf(actual: unknown): bigint {
  return BigInt(String(actual));
}

function inequality(parameter: AbiParameter, operator: '>' | '<' | '>=' | '<=', wanted: unknown): Test {
  const limit = wholeOf(toAbiValue(parameter, wanted, 'The value'));
  switch (operator) {
    case '>':
      return (actual) => wholeOf(actual) > limit;
    case '<':
      return (actual) => wholeOf(actual) < limit;
    case '>=':
      return (actual) => wholeOf(actual) >= limit;
    case '<=':
      return (actual) => wholeOf(actual) <= limit;
  }
}

function hasItem(isItem: Test): Test {
  return (actual) => {
    if (!Array.isArray(actual)) throw onlyHash();
    return actual.some(isItem);
  };
}

function onlyHash(): Error {
  return new Error('The value is indexed, so that only its hash is on the chain: it cannot be compared.');
}

function textTest(
  kind: Kind,
  operator: 'contains' | 'starts_with' | 'ends_with',
  wanted: unknown,
  ignoreCase: boolean,
): Test {
  if (typeof wanted !== 'string') throw new RangeError('The value must be a text.');
  const isHex = kind === 'hex';
  const fold = ignoreCase ? foldCase : (text: string) => text;
  const part = isHex ? wanted.toLowerCase().replace(/^0x/, '') : fold(wanted);
  if (isHex && !/^[0-9a-f]+$/.test(part))
    throw new RangeError('The value must be a part in hexadecimal such as 0xdead.');
  return (actual) => {
    const whole = isHex ? String(actual).toLowerCase().slice(2) : fold(String(actual));
    if (operator === 'starts_with') return whole.startsWith(part);
    if (operator === 'ends_with') return whole.endsWith(part);
    return isHex ? includesBytes(whole, part) : whole.includes(part);
  };
}

/** Two digits are a byte, so a part counts only where a byte begins. */
function includesBytes(whole: string, part: string): boolean {
  for (let index = whole.indexOf(part); index >= 0; index = whole.indexOf(part, index + 1))
    if (index % 2 === 0) return true;
  return false;
}
