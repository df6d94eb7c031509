import { type TSchema, Type } from 'typebox';
import { nullable, Shape } from '../../model/schema.ts';
import {
  bindingsOf,
  columnTypeOf,
  type FieldOptions,
  type Fields,
  type InputOf,
  type NestedOf,
  shownNames,
  type TableField,
  type Usage,
} from './table.ts';

/** Set on create and on update, and shown. */
export function editable<S extends TSchema, const O extends FieldOptions = object>(schema: S, options?: O) {
  return field(schema, 'editable', options);
}

/** Set on create, and shown. */
export function createOnly<S extends TSchema, const O extends FieldOptions = object>(schema: S, options?: O) {
  return field(schema, 'createOnly', options);
}

/** Set by Vigil, and shown. */
export function readOnly<S extends TSchema, const O extends FieldOptions = object>(schema: S, options?: O) {
  return field(schema, 'readOnly', options);
}

/** Set on create and on update, and never shown. */
export function writeOnly<S extends TSchema, const O extends FieldOptions = object>(schema: S, options?: O) {
  return field(schema, 'writeOnly', options);
}

/** Set on create, and never shown. */
export function writeOnce<S extends TSchema, const O extends FieldOptions = object>(schema: S, options?: O) {
  return field(schema, 'writeOnce', options);
}

function field<S extends TSchema, O extends FieldOptions, const U extends Usage>(
  schema: S,
  usage: U,
  options: O = {} as O,
): TableField<S, O, U> {
  return { ...options, schema, usage };
}

type Rows = { from: (row: string) => string; alias: string };

/** A record of another table, read along. */
export function one<F extends Fields>(description: string, rows: Rows, fields: F) {
  const schema = Type.Unsafe<NestedOf<F>>(replySchema(fields, [], description));
  return { ...readOnly(schema, { notNull: true }), nested: { ...rows, type: 'one' as const, fields } };
}

/** Records of another table, read along. */
export function many<F extends Fields>(description: string, rows: Rows, fields: F) {
  const schema = Type.Unsafe<NestedOf<F>[]>({ type: 'array', items: replySchema(fields), description });
  return { ...readOnly(schema, { notNull: true }), nested: { ...rows, type: 'many' as const, fields } };
}

/** An item as it is sent or read: members that Vigil sets may be sent back unchanged. */
type ItemOf<F extends Fields> = InputOf<F> & Partial<NestedOf<F>>;

/** Items in a table of their own, each with an id: one with an id is kept, one without is added, a missing one removed. */
export function bindings<F extends Fields, const O extends FieldOptions>(
  description: string,
  { table, parent, alias = 'b' }: { table: string; parent: string; alias?: string },
  fields: F,
  options: O,
) {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  const schema = Type.Unsafe<ItemOf<F>[]>({
    type: 'array',
    description,
    maxItems: 100,
    // A new item must name what it binds; one with an id is already bound.
    items: { ...updateSchema(fields), if: { required: ['id'] }, else: { required } },
    examples: [[]],
  });
  return {
    ...editable(schema, options),
    replySchema: Type.Unsafe({ type: 'array', description, items: replySchema(fields), examples: [[]] }),
    nested: {
      type: 'many' as const,
      from: (row: string) =>
        `${table} ${alias} where ${alias}.tenant_id = ${row}.tenant_id and ${alias}.${parent} = ${row}.id`,
      alias,
      fields,
    },
    binding: { table, parent, items: itemsOf(fields), bindings: bindingsOf(fields) },
  };
}

function itemsOf(fields: Fields) {
  const settable = Object.entries(fields).filter(
    ([name, { usage, binding }]) => name !== 'id' && usage !== 'readOnly' && !binding,
  );
  return Object.fromEntries(
    settable.map(([name, { schema, column, references }]) => [
      name,
      { type: columnTypeOf(schema), ...(column ? { column } : {}), ...(references ? { references } : {}) },
    ]),
  );
}

export function createSchema(fields: Fields): TSchema {
  const settable = Object.entries(fields).filter(([, { usage }]) => usage !== 'readOnly');
  const required = settable.filter(([, { required }]) => required).map(([name]) => name);
  return Shape(Object.fromEntries(settable.map(([name, field]) => [name, inputMember(field)])), required);
}

/** On update every member may be left out, and members that cannot change may be sent back as they were read. */
export function updateSchema(fields: Fields): TSchema {
  const members = Object.entries(fields).flatMap(([name, field]): [string, TSchema][] => {
    const { usage } = field;
    if (usage === 'writeOnce') return [];
    if (usage === 'editable' || usage === 'writeOnly') return [[name, inputMember(field)]];
    return [[name, Type.Unsafe({ ...replyMember(field), readOnly: true })]];
  });
  return Shape(Object.fromEntries(members), []);
}

export function replySchema(fields: Fields, without: readonly string[] = [], description?: string): TSchema {
  const names = shownNames(fields).filter((name) => !without.includes(name));
  return shownSchema(fields, names, description);
}

/** The one reply that shows every member that can be read. */
export function readReplySchema(fields: Fields): TSchema {
  return shownSchema(fields, [...shownNames(fields), ...shownNames(fields, 'detail')]);
}

function shownSchema(fields: Fields, names: readonly string[], description?: string): TSchema {
  const members = names.flatMap((name) => (fields[name] ? [[name, replyMember(fields[name])] as const] : []));
  return Shape(Object.fromEntries(members), names, description);
}

function replyMember(field: TableField): TSchema {
  const schema = field.replySchema ?? field.schema;
  return isNotNull(field) ? schema : nullable(schema);
}

function inputMember(field: TableField): TSchema {
  const schema = isNotNull(field) ? field.schema : nullable(field.schema);
  return field.default === undefined ? schema : Type.Unsafe({ ...schema, default: field.default });
}

function isNotNull(field: TableField): boolean {
  return field.required === true || field.notNull === true || field.default !== undefined;
}
