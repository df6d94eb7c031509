import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { nearest } from '../lib/nearest.ts';
import { type Fault, Problem } from '../model/errors.ts';

const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, ownProperties: true });

/** Formats that a schema may name, each with the words that say what would be right. */
const formats: Record<string, { test: (text: string) => boolean; words: string }> = {
  email: {
    // Anything that could break out of a mail header or an SMTP command is refused here already.
    test: (text) =>
      text.length <= 254 &&
      /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/u.test(text),
    words: 'must be an e-mail address such as alice@example.com',
  },
  'date-time': {
    test: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text) && isRealDate(text),
    words: 'must be an ISO 8601 date-time such as 2026-11-15T00:00:00.000Z',
  },
  amount: {
    test: (text) => /^\d{1,78}(\.\d{1,78})?$/.test(text),
    words: 'must be a decimal number written as text, such as "1000000.5"',
  },
  gasTip: {
    test: (text) => /^(\d{1,12}(\.\d{1,9})?)?$/.test(text),
    words: 'must be a tip in gwei such as "2.5", or empty to have it estimated',
  },
  gasPrice: {
    test: (text) => /^(market|slow|fast|fastest|\d{1,12}(\.\d{1,9})?)$/.test(text),
    words: 'must be market, slow, fast, fastest, or a price in gwei such as "12.5"',
  },
};
for (const [name, { test }] of Object.entries(formats)) ajv.addFormat(name, test);

const patternWords: Record<string, string> = {
  '\\S': 'must contain a character that is not white space',
  '^https?.*': 'must begin with http or https',
};

const compiled = new WeakMap<TSchema, ValidateFunction>();
const faultLimit = 100;
const noneReserved: ReadonlySet<string> = new Set();

/** Throws one problem that lists every fault of the value; `reserved` are known members that may not be given here. */
export function validate(
  schema: TSchema,
  value: unknown,
  root = '',
  reserved: ReadonlySet<string> = noneReserved,
): void {
  const faults = faultsOf(schema, value, root, reserved);
  if (faults.length > 0) throw invalidInput(faults);
}

export function invalidInput(faults: Fault[]): Problem {
  const first = faults[0]!;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return new Problem('invalid-input', `${first.pointer || 'The request'}: ${first.message}${more}`, {
    errors: faults,
  });
}

function faultsOf(schema: TSchema, value: unknown, root: string, reserved: ReadonlySet<string>): Fault[] {
  let check = compiled.get(schema);
  if (!check) {
    check = ajv.compile(schema);
    compiled.set(schema, check);
  }
  if (check(value)) return [];
  // `if` only repeats that one of its branches has the faults listed beside it.
  const errors = (check.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  return errors.slice(0, faultLimit).map((error) => toFault(error, root, reserved));
}

function toFault(error: ErrorObject, root: string, reserved: ReadonlySet<string>): Fault {
  const pointer = `${root}${error.instancePath}`;
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return {
        pointer: `${pointer}/${escapePointer(params.missingProperty)}`,
        code: 'required',
        message: 'is required.',
      };
    case 'additionalProperties': {
      const name: string = params.additionalProperty;
      const place = `${pointer}/${escapePointer(name)}`;
      if (error.instancePath === '' && reserved.has(name)) {
        return { pointer: place, code: 'output-only', message: 'is set by Vigil and cannot be given here.' };
      }
      const properties: unknown = error.parentSchema?.properties;
      const guess = nearest(
        name,
        typeof properties === 'object' && properties !== null ? Object.keys(properties) : [],
      );
      return {
        pointer: place,
        code: 'unknown-member',
        message: `is not a member${guess ? `; did you mean ${guess}?` : '.'}`,
      };
    }
    case 'type':
      return {
        pointer,
        code: 'type',
        message: `must be ${typeWords(params.type)}, not ${wordFor(error.data)}.`,
      };
    case 'enum': {
      const allowed: unknown[] = params.allowedValues;
      return {
        pointer,
        code: 'enum',
        message: `must be one of ${allowed
          .filter((word) => word !== null)
          .map(String)
          .join(', ')}.`,
      };
    }
    case 'format':
      return { pointer, code: 'format', message: `${formats[params.format]?.words}.` };
    case 'pattern':
      return {
        pointer,
        code: 'pattern',
        message: `${patternWords[params.pattern] ?? `must match ${params.pattern}`}.`,
      };
    case 'minLength':
      return { pointer, code: 'too-short', message: `must have at least ${characters(params.limit)}.` };
    case 'maxLength':
      return { pointer, code: 'too-long', message: `must have at most ${characters(params.limit)}.` };
    case 'minItems':
      return {
        pointer,
        code: 'too-few',
        message: `must have at least ${params.limit} element${params.limit === 1 ? '' : 's'}.`,
      };
    case 'maxItems':
    case 'maxProperties':
      return { pointer, code: 'too-many', message: `must have at most ${params.limit} elements.` };
    case 'uniqueItems':
      return { pointer, code: 'not-unique', message: 'must not have the same element twice.' };
    case 'minimum':
      return { pointer, code: 'too-small', message: `must be at least ${params.limit}.` };
    case 'maximum':
      return { pointer, code: 'too-large', message: `must be at most ${params.limit}.` };
    default:
      return { pointer, code: error.keyword, message: `${error.message ?? 'is not valid'}.` };
  }
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

function typeWords(type: string | string[]): string {
  const words: Record<string, string> = {
    integer: 'a whole number',
    number: 'a number',
    string: 'a text',
    boolean: 'true or false',
    object: 'an object',
    array: 'an array',
    null: 'null',
  };
  return [type]
    .flat()
    .map((name) => words[name] ?? name)
    .join(' or ');
}

function wordFor(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction';
  const words: Record<string, string> = { string: 'a text', boolean: 'true or false', object: 'an object' };
  return words[typeof value] ?? 'that';
}

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isRealDate(text: string): boolean {
  const time = Date.parse(text);
  // Date.parse carries 30 February over into March; the day must still be the one that was written.
  return (
    !Number.isNaN(time) &&
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))
  );
}
