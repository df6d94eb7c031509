import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { parseEvent, parseFunction } from '../lib/abi.ts';
import { parseCondition } from '../lib/condition.ts';
import { isDuration, parseDuration } from '../lib/duration.ts';
import { isMailAddress, mailAddressWords } from '../lib/mailAddress.ts';
import { nearest } from '../lib/nearest.ts';
import { parseSchedule } from '../lib/schedule.ts';
import { type Fault, Problem } from './errors.ts';
import { followedFunding } from './followedFunding.ts';

/** Faults that one answer lists. */
export const faultLimit = 100;
/** Faults for which the nearest known name is looked up, which costs far more than finding the fault. */
const suggestionLimit = 10;

/**
 * Ajv either stops at the first fault or collects all of them, however many there are: its generated code is changed to
 * stop after some more than are listed, by throwing what it has.
 */
const stopAfterMany = (code: string) =>
  code.replaceAll('errors++;', `if (++errors > ${4 * faultLimit}) throw vErrors;`);

const base = { verbose: true, strict: false, ownProperties: true };
const options = { ...base, allErrors: true, code: { process: stopAfterMany } };
const ajv = new Ajv2020(options);
/** Writes defaults into what it checks. */
const filling = new Ajv2020({ ...options, useDefaults: true });
/** Says only whether a value is valid, and stops at the first fault. */
const quick = new Ajv2020(base);

/** Formats that a schema may name, each with the words that say what would be right. */
const formats: Record<string, { test: (text: string) => boolean; words: string }> = {
  email: { test: isMailAddress, words: mailAddressWords },
  'date-time': {
    test: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text) && isRealDate(text),
    words: 'must be an ISO 8601 date-time such as 2026-11-15T00:00:00.000Z',
  },
  webAddress: {
    test: (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    words: 'must be an address that begins with http:// or https://',
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
  address: {
    test: (text) => /^0x[0-9a-fA-F]{40}$/.test(text),
    words: 'must be an address such as 0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
  duration: { test: isDuration, words: 'must be a length of time such as "10 min", "1 day" or "30 seconds"' },
  fundingWindow: {
    test: (text) => isDuration(text) && parseDuration(text) <= followedFunding.windowMs,
    words: 'must be a length of time up to 30 days such as "7 days"; funding is followed no longer',
  },
  schedule: {
    test: (text) => isAccepted(parseSchedule, text),
    words: 'must be a length of time such as "10 min", or a cron expression such as "0 */6 * * *"',
  },
  condition: {
    test: (text) => isAccepted(parseCondition, text),
    words: 'must be a condition such as "> 100", "< -5", ">= 10%", "++1000" or ">> 1"',
  },
  amountOrPercent: {
    test: (text) => /^\d{1,60}(\.\d{1,60})?\s?%?$/.test(text),
    words: 'must be an amount such as "1000.5", or a share such as "1%"',
  },
  asset: {
    test: (text) => /^(native|0x[0-9a-fA-F]{40})$/.test(text),
    words: 'must be native, or the address of a token',
  },
  domain: {
    test: (text) =>
      text.length <= 253 &&
      /^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)+[A-Za-z0-9-]{2,63}$/.test(text),
    words: 'must be a domain name such as app.example.com',
  },
  script: {
    // Compiled where it is saved, by the sandbox that will run it.
    test: () => true,
    words: 'must be an expression such as e.args.value > 10n ** 18n',
  },
  eventSignature: {
    test: (text) => isAccepted(parseEvent, text),
    words: 'must be an event such as Transfer(address indexed from, address indexed to, uint256 value)',
  },
  addressCsv: {
    test: (text) =>
      text
        .split(/\r?\n/)
        .every((line) => line === '' || /^0x[0-9a-fA-F]{40}(,\s*(\d{1,2}|100)?\s*(,.*)?)?$/.test(line)),
    words:
      'must have lines of address, score, tags and name such as "0x8589427373d6d84e98730d7795d8f6f8731fda16,90,MIXER;SANCTION,Router", without a headline',
  },
  functionSignature: {
    test: (text) => isAccepted(parseFunction, text),
    words: 'must be a function such as transfer(address to, uint256 amount) or balanceOf(address)(uint256)',
  },
};
for (const [name, { test }] of Object.entries(formats)) {
  for (const each of [ajv, filling, quick]) each.addFormat(name, test);
}

function isAccepted(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const patternWords: Record<string, string> = {
  '^[^a-z]+$': 'must be in capitals',
  '\\S': 'must contain a character that is not white space',
  '^https?.*': 'must begin with http or https',
};

type Compiled = WeakMap<TSchema, ValidateFunction>;
const compiled: Compiled = new WeakMap();
const compiledFilling: Compiled = new WeakMap();
const compiledQuick: Compiled = new WeakMap();
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
  const others = faults.length - 1;
  const more = others > 0 ? ` (and ${faults.length < faultLimit ? '' : 'at least '}${others} more)` : '';
  return new Problem('invalid-input', `${first.pointer || 'The request'}: ${first.message}${more}`, {
    errors: faults,
  });
}

/** A copy of the value with the schema's defaults filled in, or what is wrong with it. */
export function withDefaults(
  schema: TSchema,
  value: unknown,
  root = '',
): { value: unknown } | { faults: Fault[] } {
  const copy: unknown = structuredClone(value);
  const faults = toFaults(check(filling, compiledFilling, schema, copy), root, noneReserved);
  return faults.length > 0 ? { faults } : { value: copy };
}

function faultsOf(schema: TSchema, value: unknown, root: string, reserved: ReadonlySet<string>): Fault[] {
  return toFaults(check(ajv, compiled, schema, value), root, reserved);
}

function check(by: Ajv2020, known: Compiled, schema: TSchema, value: unknown): ErrorObject[] {
  const run = validatorOf(by, known, schema);
  try {
    if (run(value)) return [];
  } catch (thrown) {
    if (!Array.isArray(thrown)) throw thrown;
    // The faults may be those of one alternative only, where another takes the value.
    return validatorOf(quick, compiledQuick, schema)(value) ? [] : listed(thrown);
  }
  return listed(run.errors ?? []);
}

function validatorOf(by: Ajv2020, known: Compiled, schema: TSchema): ValidateFunction {
  let run = known.get(schema);
  if (!run) {
    run = by.compile(schema);
    known.set(schema, run);
  }
  return run;
}

/** `if` only repeats that one of its branches has the faults listed beside it. */
function listed(errors: readonly ErrorObject[]): ErrorObject[] {
  return errors.filter(({ keyword }) => keyword !== 'if').slice(0, faultLimit);
}

function toFaults(errors: readonly ErrorObject[], root: string, reserved: ReadonlySet<string>): Fault[] {
  return errors.map((error, index) => toFault(error, root, reserved, index < suggestionLimit));
}

function toFault(
  error: ErrorObject,
  root: string,
  reserved: ReadonlySet<string>,
  hasSuggestion: boolean,
): Fault {
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
      const guess = hasSuggestion
        ? nearest(name, typeof properties === 'object' && properties !== null ? Object.keys(properties) : [])
        : undefined;
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
        message: `must be ${typeWords(params.type, error.parentSchema)}${isText(root) ? '' : `, not ${wordFor(error.data)}`}.`,
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
      return {
        pointer,
        code: 'too-small',
        message: isPositive(error.parentSchema)
          ? 'must be a positive integer.'
          : `must be at least ${params.limit}.`,
      };
    case 'maximum':
      return { pointer, code: 'too-large', message: `must be at most ${params.limit}.` };
    default:
      return { pointer, code: error.keyword, message: `${error.message ?? 'is not valid'}.` };
  }
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/** Paths and query strings are text whatever their members are. */
function isText(root: string): boolean {
  return root === '/path' || root === '/query';
}

/** An id. */
function isPositive(schema: ErrorObject['parentSchema']): boolean {
  return schema?.type === 'integer' && schema.minimum === 1 && schema.maximum === Number.MAX_SAFE_INTEGER;
}

function typeWords(type: string | string[], schema: ErrorObject['parentSchema']): string {
  if (isPositive(schema)) return 'a positive integer';
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
