import { type Static, type TSchema, Type } from 'typebox';
import { isRecord, membersOf } from '../lib/isRecord.ts';
import { type ChainUid, chainUids, chainUidsOrNull } from './chainUid.ts';

/** Schema parts from which records are put together; each carries the words and the example of the API documents. */
export const maxId = Number.MAX_SAFE_INTEGER;
/** The latest time a JavaScript date can hold, in epoch milliseconds. */
const maxMillis = 8_640_000_000_000_000;

export function Id(description: string) {
  return Type.Integer({ description, minimum: 1, maximum: maxId, examples: [1] });
}

export function Millis(description: string, example = 1_794_700_800_000) {
  return Type.Integer({
    description: `${description} In epoch milliseconds.`,
    minimum: 0,
    maximum: maxMillis,
    examples: [example],
  });
}

/** The schemas of an object's members, by name. */
export function memberSchemas(schema: TSchema): Readonly<Record<string, TSchema>> {
  const { properties = {} } = membersOf(schema);
  if (!isSchemas(properties)) throw new Error('The members of an object need a schema each.');
  return properties;
}

function isSchemas(value: unknown): value is Readonly<Record<string, TSchema>> {
  return isRecord(value) && Object.values(value).every(isRecord);
}

/** The members whose schema has this keyword with this value; those of an administrator may be `true` and `false`. */
export function membersWith(schema: TSchema, keyword: string, value: unknown): string[] {
  const members = membersOf(membersOf(schema).properties);
  return Object.keys(members).filter((name) => membersOf(members[name])[keyword] === value);
}

export function Count(description: string, example: number, maximum = 2_147_483_647) {
  return Type.Integer({ description, minimum: 0, maximum, examples: [example] });
}

export function Flag(description: string) {
  return Type.Boolean({ description, examples: [false] });
}

export function Text(
  description: string,
  example: string,
  options: { max?: number; min?: number; pattern?: string; format?: string } = {},
) {
  const { max, min, pattern, format } = options;
  return Type.String({
    description,
    maxLength: max ?? 1000,
    ...(min === undefined ? {} : { minLength: min }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(format === undefined ? {} : { format }),
    examples: [example],
  });
}

/** Address of an image that pages show. */
export function Icon(description: string, example: string) {
  return Text(description, example, { max: 2000, format: 'webAddress' });
}

/** A text that must show something to people, and nothing that they do not see. */
export function Name(description: string, example: string) {
  return Text(description, example, { max: 200, pattern: '\\S', format: 'name' });
}

export function Words(description: string, example: string[]) {
  return Type.Array(Type.String({ maxLength: 200, minLength: 1 }), {
    description,
    maxItems: 100,
    examples: [example],
  });
}

export function OneOf<const T extends readonly string[]>(values: T, description: string, example: T[number]) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description, examples: [example] });
}

/** A chain. The list of chains is not copied: it grows when an administrator adds one. */
export function OneChain(description: string) {
  return Type.Unsafe<ChainUid>({ type: 'string', enum: chainUids, description, examples: ['ethereum'] });
}

export function SomeOf<const T extends readonly string[]>(
  values: T,
  description: string,
  example: T[number][],
  minItems = 0,
) {
  return Type.Unsafe<T[number][]>({
    type: 'array',
    items: { type: 'string', enum: [...values] },
    uniqueItems: true,
    minItems,
    maxItems: values.length,
    description,
    examples: [example],
  });
}

/** Any JSON object. */
export function JsonObject(description: string, example: Record<string, unknown>) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description,
    additionalProperties: true,
    examples: [example],
  });
}

export function TextMap(description: string, example: Record<string, string>) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    description,
    additionalProperties: { type: 'string', maxLength: 10_000 },
    maxProperties: 100,
    examples: [example],
  });
}

export function nullable<T extends TSchema>(schema: T) {
  const plain: { type?: unknown; enum?: readonly unknown[] } = schema;
  const words = plain.enum === chainUids ? chainUidsOrNull : plain.enum && [...plain.enum, null];
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [plain.type, 'null'],
    ...(words ? { enum: words } : {}),
  });
}

/** An object whose members are all listed. */
export function Shape<T extends Record<string, TSchema>>(
  properties: T,
  required: readonly string[],
  description?: string,
) {
  return Type.Unsafe<{ [K in keyof T]: Static<T[K]> }>({
    type: 'object',
    properties,
    required: [...required],
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  });
}

export function List<T extends TSchema>(
  item: T,
  description: string,
  options: { minItems?: number; maxItems?: number } = {},
) {
  return Type.Unsafe<Static<T>[]>({ type: 'array', items: item, description, ...options });
}
