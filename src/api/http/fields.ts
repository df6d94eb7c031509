import { isDeepStrictEqual } from 'node:util';
import { type Static, type TSchema, Type } from 'typebox';
import type { Fault } from '../../model/errors.ts';
import { isItems } from '../../store/records/bindings.ts';
import type { Row } from '../../store/records/records.ts';
import type { Binding, Table } from '../../store/table.ts';
import { nullable, Shape } from './schema.ts';

/** One member of a record: its schema, when it may be given, and whether it is shown. */
export type Field<S extends TSchema = TSchema> = {
  schema: S;
  create: boolean;
  update: boolean;
  reply: boolean;
  /** Shown only where one record is read, because the other replies are specified to the member. */
  detail: boolean;
  required: boolean;
  /** Neither absent nor null in a record: required, or filled in by Vigil when it is not given. */
  always: boolean;
  default?: unknown;
  references?: Table;
};
export type Fields = Readonly<Record<string, Field>>;

/** What a service is handed: any of the members that may be given, with the types of their schemas. */
export type InputOf<F extends Fields> = { [K in keyof F]?: Static<F[K]['schema']> | null };

type Options = { required?: true; always?: true; default?: unknown; references?: Table };

/** May be given on create and on update, and is shown. */
export function given<S extends TSchema>(schema: S, options: Options = {}): Field<S> {
  return { ...field(schema, options), create: true, update: true, reply: true };
}

/** May be given, and is shown only where one record is read (GET). */
export function detail<S extends TSchema>(schema: S, options: Options = {}): Field<S> {
  return { ...field(schema, options), create: true, update: true, reply: false, detail: true };
}

/** Set by Vigil, and shown only where one record is read (GET). */
export function outputDetail<S extends TSchema>(schema: S, options: Options = {}): Field<S> {
  return { ...field(schema, options), create: false, update: false, reply: false, detail: true };
}

/** May be given on create only, and is shown. */
export function fixed<S extends TSchema>(schema: S, options: Options = {}): Field<S> {
  return { ...field(schema, options), create: true, update: false, reply: true };
}

/** May be given, and is never shown. */
export function hidden<S extends TSchema>(schema: S, options: Options & { fixed?: true } = {}): Field<S> {
  return { ...field(schema, options), create: true, update: !options.fixed, reply: false };
}

/** Set by Vigil. */
export function output<S extends TSchema>(schema: S, options: Options = {}): Field<S> {
  return { ...field(schema, options), create: false, update: false, reply: true };
}

function field<S extends TSchema>(schema: S, options: Options) {
  const { required = false, references } = options;
  return {
    schema,
    required,
    detail: false,
    always: required || options.always === true || options.default !== undefined,
    ...(options.default === undefined ? {} : { default: options.default }),
    ...(references ? { references } : {}),
  };
}

export function namesOf(fields: Fields, use: 'create' | 'update' | 'reply' | 'detail'): string[] {
  return Object.keys(fields).filter((name) => fields[name]![use]);
}

export function createSchema(fields: Fields): TSchema {
  const names = namesOf(fields, 'create');
  const required = names.filter((name) => fields[name]!.required);
  return Shape(
    pick(names, (name) => inputSchema(fields[name]!)),
    required,
  );
}

/** On update every member may be left out, and members of the record that are not to be changed may come back as read. */
export function updateSchema(fields: Fields): TSchema {
  const names = [
    ...new Set([...namesOf(fields, 'update'), ...namesOf(fields, 'reply'), ...namesOf(fields, 'detail')]),
  ];
  return Shape(
    pick(names, (name) => {
      const member = fields[name]!;
      return member.update ? inputSchema(member) : Type.Unsafe({ ...replyMember(member), readOnly: true });
    }),
    [],
  );
}

export function replySchema(fields: Fields, without: readonly string[] = [], description?: string): TSchema {
  return shownSchema(
    fields,
    namesOf(fields, 'reply').filter((name) => !without.includes(name)),
    description,
  );
}

/** The one reply that shows everything that may be read. */
export function readReplySchema(fields: Fields): TSchema {
  return shownSchema(fields, [...namesOf(fields, 'reply'), ...namesOf(fields, 'detail')]);
}

function shownSchema(fields: Fields, names: readonly string[], description?: string): TSchema {
  return Shape(
    pick(names, (name) => replyMember(fields[name]!)),
    [...names],
    description,
  );
}

function replyMember(member: Field): TSchema {
  const shown = replyForms.get(member.schema) ?? member.schema;
  return member.always ? shown : nullable(shown);
}

function inputSchema(member: Field): TSchema {
  const schema = member.always ? member.schema : nullable(member.schema);
  return member.default === undefined ? schema : Type.Unsafe({ ...schema, default: member.default });
}

/** Arrays of bindings are read in one form and written in another. */
const replyForms = new WeakMap<TSchema, TSchema>();

/**
 * An array of bindings: `inputs` are the members an item may set; `shown` those it is shown with, which may be
 * sent back unchanged together with the item's `id`.
 */
export function bindings(
  description: string,
  inputs: Record<string, TSchema>,
  shown: Record<string, TSchema>,
  requiredOnCreate: readonly string[],
): TSchema {
  const outputs = Object.fromEntries(
    Object.entries(shown)
      .filter(([name]) => !Object.hasOwn(inputs, name))
      .map(([name, schema]) => [name, name === 'id' ? schema : Type.Unsafe({ ...schema, readOnly: true })]),
  );
  const input = Type.Unsafe<Row[]>({
    type: 'array',
    description,
    maxItems: 100,
    items: {
      ...Shape({ ...outputs, ...inputs }, []),
      // A new item must say what it binds; one with an id is already bound.
      if: { required: ['id'] },
      else: { required: [...requiredOnCreate] },
    },
    examples: [[]],
  });
  replyForms.set(
    input,
    Type.Unsafe({
      type: 'array',
      description,
      items: Shape(
        Object.fromEntries(
          Object.entries(shown).map(([name, schema]) => [name, replyForms.get(schema) ?? schema]),
        ),
        Object.keys(shown),
      ),
      examples: [[]],
    }),
  );
  return input;
}

/** Splits an update into what changes, and faults for read-only members that came back with another value. */
export function readUpdate(
  fields: Fields,
  table: Table,
  body: Row,
  current: Row,
): { input: Row; faults: Fault[] } {
  const input: Row = {};
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (fields[name]?.update) input[name] = value;
    else if (!isDeepStrictEqual(value, current[name])) faults.push(readOnly(`/${name}`));
  }
  for (const binding of table.bindings ?? []) {
    faults.push(...echoFaults(binding, input[binding.member], current[binding.member], `/${binding.member}`));
  }
  return { input, faults };
}

/** Members of a binding that Vigil sets may only come back as they were read. */
export function echoFaults(binding: Binding, items: unknown, current: unknown, pointer: string): Fault[] {
  if (!isItems(items)) return [];
  const known = new Map(isItems(current) ? current.map((item) => [item.id, item]) : []);
  return items.flatMap((item, index) => {
    const before = item.id === undefined ? undefined : known.get(item.id);
    return Object.entries(item).flatMap(([name, value]): Fault[] => {
      if (name === 'id' || Object.hasOwn(binding.items, name)) return [];
      const place = `${pointer}/${index}/${name}`;
      const child = binding.bindings?.find(({ member }) => member === name);
      if (child) return echoFaults(child, value, before?.[name], place);
      return isDeepStrictEqual(value, before?.[name]) ? [] : [readOnly(place)];
    });
  });
}

export function readOnly(pointer: string): Fault {
  return {
    pointer,
    code: 'read-only',
    message: 'is set by Vigil; leave it out or send it back as it was read.',
  };
}

function pick(names: readonly string[], value: (name: string) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}
