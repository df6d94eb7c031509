import type { AbiParameter } from 'abitype';
import { eventTopic } from './abi.ts';
import { compareDecimal, type Decimal, parseDecimal, toDecimal } from './decimal.ts';

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
type Kind = 'number' | 'bool' | 'address' | 'bytes' | 'string' | 'list' | 'struct';

/**
 * Makes a test of decoded values of an ABI type. An operator or a value that does not fit the type is a RangeError that says
 * what would be right.
 */
export function compileComparison(
  parameter: AbiParameter,
  operator: ComparisonOperator,
  wanted: unknown,
): Test {
  const kind = kindOf(parameter);
  if (kind === 'struct')
    throw new RangeError('is a struct: compare one of its members, named with a dot such as order.amount.');
  if (!fitting[kind].includes(operator))
    throw new RangeError(
      `${operator} does not fit values of type ${parameter.type}; ${fitting[kind].join(', ')} do.`,
    );
  switch (operator) {
    case '==':
      return equality(parameter, kind, wanted);
    case '!=': {
      const isEqual = equality(parameter, kind, wanted);
      return (actual) => !isEqual(actual);
    }
    case 'in': {
      if (!Array.isArray(wanted) || wanted.length === 0)
        throw new RangeError('in needs an array of values to look in.');
      const tests = wanted.map((item) => equality(parameter, kind, item));
      return (actual) => tests.some((test) => test(actual));
    }
    case 'contains':
      if (kind === 'list') {
        const isItem = compileComparison(elementOf(parameter)!, '==', wanted);
        return (actual) => listOf(actual).some(isItem);
      }
      return textTest(kind, operator, wanted);
    case 'starts_with':
    case 'ends_with':
      return textTest(kind, operator, wanted);
    default:
      return inequality(operator, wanted);
  }
}

/** The type of the elements of an ABI list; undefined for what is no list. */
export function elementOf(parameter: AbiParameter): AbiParameter | undefined {
  if (!parameter.type.endsWith(']')) return undefined;
  return { ...parameter, name: '', type: parameter.type.slice(0, parameter.type.lastIndexOf('[')) };
}

const equalities: readonly ComparisonOperator[] = ['==', '!=', 'in'];
const textual: readonly ComparisonOperator[] = [...equalities, 'contains', 'starts_with', 'ends_with'];
const fitting: Readonly<Record<Exclude<Kind, 'struct'>, readonly ComparisonOperator[]>> = {
  number: ['==', '!=', '>', '<', '>=', '<=', 'in'],
  bool: equalities,
  address: textual,
  bytes: textual,
  string: textual,
  list: ['==', '!=', 'contains'],
};

function kindOf({ type }: AbiParameter): Kind {
  if (type.endsWith(']')) return 'list';
  if (/^u?int\d*$/.test(type)) return 'number';
  if (/^(bytes\d*|function)$/.test(type)) return 'bytes';
  if (type === 'bool' || type === 'address' || type === 'string') return type;
  return 'struct';
}

function equality(parameter: AbiParameter, kind: Kind, wanted: unknown): Test {
  switch (kind) {
    case 'number': {
      const number = readNumber(wanted);
      return (actual) => compareDecimal(numberOf(actual), number) === 0;
    }
    case 'bool': {
      if (!['true', 'false'].includes(String(wanted))) throw new RangeError('must be true or false.');
      return (actual) => String(actual) === String(wanted);
    }
    case 'address':
    case 'bytes': {
      const bytes = readBytes(parameter, wanted);
      return (actual) => String(actual).toLowerCase() === bytes;
    }
    case 'string': {
      const text = readText(wanted);
      // An indexed text leaves only its hash on the chain.
      const hash = eventTopic(text);
      return (actual) => actual === text || actual === hash;
    }
    case 'list': {
      if (!Array.isArray(wanted)) throw new RangeError('must be an array, as the value is a list.');
      const tests = wanted.map((item) => compileComparison(elementOf(parameter)!, '==', item));
      return (actual) => {
        const list = listOf(actual);
        return list.length === tests.length && tests.every((test, place) => test(list[place]));
      };
    }
    case 'struct':
      throw new RangeError('is a struct, which cannot be compared as a whole.');
  }
}

function inequality(operator: '>' | '<' | '>=' | '<=', wanted: unknown): Test {
  const limit = readNumber(wanted);
  return (actual) => {
    const order = compareDecimal(numberOf(actual), limit);
    if (operator === '>') return order > 0;
    if (operator === '<') return order < 0;
    return operator === '>=' ? order >= 0 : order <= 0;
  };
}

function textTest(kind: Kind, operator: 'contains' | 'starts_with' | 'ends_with', wanted: unknown): Test {
  const text = readText(wanted);
  const part = kind === 'string' ? text : text.toLowerCase().replace(/^0x/, '');
  if (kind !== 'string' && !/^[0-9a-f]+$/.test(part))
    throw new RangeError('must be a part in hex such as 0xdead.');
  return (actual) => {
    const whole = kind === 'string' ? String(actual) : String(actual).toLowerCase().slice(2);
    if (operator === 'starts_with') return whole.startsWith(part);
    if (operator === 'ends_with') return whole.endsWith(part);
    return kind === 'string' ? whole.includes(part) : includesBytes(whole, part);
  };
}

/** Two digits are a byte, so a part counts only where a byte begins. */
function includesBytes(whole: string, part: string): boolean {
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1))
    if (at % 2 === 0) return true;
  return false;
}

function readNumber(wanted: unknown): Decimal {
  if (typeof wanted === 'number' && Number.isInteger(wanted) && !Number.isSafeInteger(wanted))
    throw new RangeError('must be written as text, because a JSON number of this size is not exact.');
  if (typeof wanted === 'string' && /^0x[0-9a-f]{1,64}$/i.test(wanted)) return toDecimal(BigInt(wanted));
  try {
    if (typeof wanted === 'string' || typeof wanted === 'number') return parseDecimal(wanted);
  } catch {
    // The words below say what is wanted here.
  }
  throw new RangeError('must be a number such as 1000, "1e18" or "0xff".');
}

function readBytes({ type }: AbiParameter, wanted: unknown): string {
  const text = String(wanted).toLowerCase();
  if (type === 'address') {
    if (!/^0x[0-9a-f]{40}$/.test(text)) throw new RangeError('must be an address of 40 hex digits after 0x.');
    return text;
  }
  const count = type === 'function' ? 24 : Number(/\d+$/.exec(type)?.[0] ?? Number.NaN);
  const isFitting = /^0x([0-9a-f]{2})*$/.test(text) && (Number.isNaN(count) || text.length === 2 + 2 * count);
  if (!isFitting)
    throw new RangeError(`must be ${Number.isNaN(count) ? 'whole' : count} bytes in hex after 0x.`);
  return text;
}

function readText(wanted: unknown): string {
  if (typeof wanted !== 'string') throw new RangeError('must be a text.');
  return wanted;
}

/** Decoding gives small integers as numbers and large ones as big integers. */
function numberOf(actual: unknown): Decimal {
  return toDecimal(BigInt(actual as bigint | number));
}

function listOf(actual: unknown): readonly unknown[] {
  if (!Array.isArray(actual))
    throw new Error('The list is indexed, so that only its hash is on the chain; it cannot be compared.');
  return actual;
}
