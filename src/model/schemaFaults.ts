import type { ErrorObject } from 'ajv/dist/2020.js';
import { nearest } from '../lib/nearest.ts';
import type { Fault } from './errors.ts';
import { allFormats } from './formats.ts';

/** Faults for which the nearest known name is looked up, which costs far more than finding the fault. */
const suggestionLimit = 10;

export function toFaults(
  errors: readonly ErrorObject[],
  root: string,
  reserved: ReadonlySet<string>,
): Fault[] {
  return errors.map((error, index) => toFault(error, root, reserved, index));
}

const patternWords: Record<string, string> = {
  '^[^a-z]+$': 'must be in capitals',
  '\\S': 'must contain a character that is not white space',
  '^https?.*': 'must begin with http or https',
  // Topics of Kafka.
  '^(?!\\.{1,2}$)[0-9A-Za-z._-]+$':
    'must consist of letters, digits, dots, underscores and hyphens, and be neither . nor ..',
};

function toFault(error: ErrorObject, root: string, reserved: ReadonlySet<string>, index: number): Fault {
  const hasSuggestion = index < suggestionLimit;
  const pointer = `${root}${error.instancePath}`;
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return {
        pointer: `${pointer}/${escapePointer(params.missingProperty)}`,
        code: 'required',
        message: `is required.${isSettings(root) ? describe(error.parentSchema, params.missingProperty) : whyRequired(error.parentSchema, params.missingProperty)}`,
      };
    case 'additionalProperties': {
      const name: string = params.additionalProperty;
      const path = `${pointer}/${escapePointer(name)}`;
      if (error.instancePath === '' && reserved.has(name)) {
        return { pointer: path, code: 'output-only', message: 'is set by Vigil and cannot be given here.' };
      }
      const properties: unknown = error.parentSchema?.properties;
      const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
      const list = hasSuggestion && isSettings(root) ? ` It has ${names.join(', ') || 'no members'}.` : '';
      const fault = unknownMember(path, name, names, index);
      return { ...fault, message: `${fault.message}${list}` };
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
      return { pointer, code: 'format', message: `${allFormats()[params.format]?.words}.` };
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

/** A member that does not exist; `index` is its place among the faults. */
export function unknownMember(pointer: string, name: string, names: Iterable<string>, index: number): Fault {
  const guess = index < suggestionLimit ? nearest(name, [...names]) : undefined;
  const message = `is not a member${guess ? `; did you mean ${guess}?` : '.'}`;
  return { pointer, code: 'unknown-member', message };
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/** Describes a correct value. */
function describe(schema: ErrorObject['parentSchema'], name: string): string {
  const description: unknown = schema?.properties?.[name]?.description;
  return typeof description === 'string' ? ` ${description}` : '';
}

/** The reason, where the description of the member gives one: `Required, because …`. */
function whyRequired(schema: ErrorObject['parentSchema'], name: string): string {
  const description: unknown = schema?.properties?.[name]?.description;
  const [, reason] =
    /Required, (because [^.]+\.)/.exec(typeof description === 'string' ? description : '') ?? [];
  return reason === undefined ? '' : ` That is ${reason}`;
}

/** Settings whose members depend on the kind of record, so that the API documents do not list them. */
function isSettings(root: string): boolean {
  return root === '/config' || root === '/params';
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
