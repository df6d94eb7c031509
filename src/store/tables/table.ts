import type { Static, TSchema } from 'typebox';
import { type Sql, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import { tenantsOfOrganisations } from './fragments.ts';

export type ColumnType =
  | 'integer'
  | 'number'
  | 'string'
  | 'boolean'
  | 'json'
  | 'date'
  | 'string[]'
  | 'integer[]'
  | 'bytes';

/** A record kind: its members, the rows it lives in, who may see and change them. The alias of a row is `t`. */
export type Table<F extends Fields = Fields> = {
  /** The record kind, in the words of the API. */
  kind: string;
  name: string;
  fields: F;
  /** Every member that can be read or searched; follows from `fields`. */
  members: Members;
  /** Columns that are written but neither read into a record nor searched. */
  hidden?: Readonly<Record<string, ColumnType>>;
  /** Rows that a caller may see, and rows that it may change. */
  visible: (scope: Scope) => Sql;
  writable: (scope: Scope) => Sql;
  /** True if nested records depend on the caller's scope too, which they read from the row `scope`. */
  isScopedInside?: true;
  /** Value that marks the table's rows of this kind. */
  only?: string;
  /**
   * Tables whose rows are deleted along with a row of this one: the child's column that references it. `ofTenant` where both name the
   * tenant, with which the index of the column begins.
   */
  owns?: () => readonly { table: Table; column: string; ofTenant?: true }[];
  /** Binding tables, with the tenant in each row, whose rows are removed along with a row of this one. */
  unbinds?: readonly { table: string; column: string }[];
  /** Arrays inside the record whose items have an id of their own; follow from `fields`. */
  bindings: readonly Binding[];
  /** The member that each unique index protects, and the message of its violation. */
  unique?: Readonly<Record<string, { member: string; message: string }>>;
};

/** One member of a record: its schema, who sets it, whether it is shown, and where it is stored. */
export type TableField<S extends TSchema = TSchema, O extends FieldOptions = FieldOptions, U = Usage> = O & {
  schema: S;
  /** The schema in replies, where it differs. */
  replySchema?: TSchema;
  usage: U;
  nested?: Nested;
  binding?: Omit<Binding, 'member'>;
};
export type Fields = { readonly [name: string]: TableField };

/** Visibility of a member and its writer; see the functions in `fields.ts`. */
export type Usage = 'editable' | 'createOnly' | 'readOnly' | 'writeOnly' | 'writeOnce';

export type FieldOptions = {
  required?: true;
  /** Never null in a record, because Vigil fills it in. */
  notNull?: true;
  default?: unknown;
  /** Shown only where one record is read, because the other replies are specified to the member. */
  detail?: true;
  /** A column that can be searched although it is never shown. */
  searchable?: true;
  /** The SQL of the value, where it is not the column of the same name. */
  as?: (row: string) => string;
  /** Searched like the canonical form of its chain: ignoring case where the chain's addresses have none. */
  isAddress?: true | 'canonical';
  /** Of an item of a binding: its column, where that has another name. */
  column?: string;
  /** Of an item of a binding: the kind whose record the value must be. */
  references?: () => Table;
};

/** Rows of another table that are read along with a record. */
type Nested = { type: 'one' | 'many'; from: (row: string) => string; alias: string; fields: Fields };

/** A member of a record as the store reads and searches it. A `date` is stored as the ISO 8601 text that records show. */
export type Member =
  | { type: ColumnType; as?: string; isAddress?: true | 'canonical' }
  | { type: 'one' | 'many'; from: string; alias: string; members: Members };
export type Members = { readonly [name: string]: Member };

/** Items that live in a table of their own and belong to one record. */
export type Binding = {
  /** The member of the record that holds the items. */
  member: string;
  table: string;
  /** The column that references the record. */
  parent: string;
  /** Writable members of an item; `references` names the kind of the record that the value must be. */
  items: Readonly<Record<string, { type: ColumnType; column?: string; references?: () => Table }>>;
  bindings: readonly Binding[];
};

type IsNotNull = { required: true } | { notNull: true } | { default: unknown };
type ValueOf<F extends TableField> = F extends IsNotNull ? Static<F['schema']> : Static<F['schema']> | null;
type NotShown = { usage: 'writeOnly' | 'writeOnce' };

/** A record as it is read. */
export type RecordOf<F extends Fields> = {
  [K in keyof F as F[K] extends NotShown ? never : K]: ValueOf<F[K]>;
};

/** A record as another one shows it. */
export type NestedOf<F extends Fields> = {
  [K in keyof F as F[K] extends NotShown | { detail: true } ? never : K]: ValueOf<F[K]>;
};

/** Members that an update may set. */
export type InputOf<F extends Fields> = {
  [K in keyof F as F[K]['usage'] extends 'readOnly' ? never : K]?: ValueOf<F[K]>;
};

/** Members that a create sets: the defaults are filled in. */
export type NewInputOf<F extends Fields> = InputOf<F> & {
  [K in keyof F as F[K] extends { required: true } | { default: unknown } ? K : never]: ValueOf<F[K]>;
};

type Definition<F extends Fields> = Omit<Table<F>, 'members' | 'bindings'> & {
  /** Columns that can be searched although records do not have them. */
  searched?: Members;
};

export function defineTable<F extends Fields>({ searched, ...definition }: Definition<F>): Table<F> {
  const { fields } = definition;
  const names = Object.keys(fields).filter((name) => isShown(fields[name]) || fields[name]?.searchable);
  return {
    ...definition,
    members: { ...membersOf(fields, names, 't'), ...searched },
    bindings: bindingsOf(fields),
  };
}

/** The names of the members that every reply shows, or of those that only a read of one record shows. */
export function shownNames(fields: Fields, where: 'reply' | 'detail' = 'reply'): string[] {
  return Object.keys(fields).filter(
    (name) => isShown(fields[name]) && (fields[name]?.detail === true) === (where === 'detail'),
  );
}

function isShown(field: TableField | undefined): boolean {
  return field !== undefined && field.usage !== 'writeOnly' && field.usage !== 'writeOnce';
}

function membersOf(fields: Fields, names: readonly string[], row: string): Members {
  return Object.fromEntries(
    names.flatMap((name) => (fields[name] ? [[name, memberOf(fields[name], row)]] : [])),
  );
}

function memberOf({ schema, nested, as, isAddress }: TableField, row: string): Member {
  if (nested) {
    const { type, from, alias, fields } = nested;
    return { type, from: from(row), alias, members: membersOf(fields, shownNames(fields), alias) };
  }
  return { type: columnTypeOf(schema), ...(as ? { as: as(row) } : {}), ...(isAddress ? { isAddress } : {}) };
}

export function bindingsOf(fields: Fields): Binding[] {
  return Object.entries(fields).flatMap(([member, { binding }]) => (binding ? [{ member, ...binding }] : []));
}

/** The column that holds values of a schema. */
export function columnTypeOf(schema: TSchema): ColumnType {
  const { type, format, items }: { type?: unknown; format?: unknown; items?: { type?: unknown } } = schema;
  switch (type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return type;
    case 'string':
      return format === 'date-time' ? 'date' : 'string';
    case 'array':
      return items?.type === 'string' || items?.type === 'integer' ? `${items.type}[]` : 'json';
    default:
      return 'json';
  }
}

const nouns: Readonly<Record<string, string>> = {
  apikey: 'API key',
  instance: 'license instance',
  'instance/meta': 'license instance period',
  timeset: 'time set',
  plannedchange: 'planned change',
  escalationchain: 'escalation chain',
};

/** The name of such a record in a sentence. */
export function nounOf({ kind }: Pick<Table, 'kind'>): string {
  return nouns[kind] ?? kind.replaceAll('/', ' ');
}

/** Rules for `visible` and `writable`. An administrator's scope has no bounds. */
export function within(rule: (scope: Scope) => Sql): (scope: Scope) => Sql {
  return (scope) => (scope.all ? sql`true` : rule(scope));
}

export const byTenant = within((scope) => sql`t.tenant_id = any(${scope.tenantIds})`);
export const everyone = (): Sql => sql`true`;
export const administrators = within(() => sql`false`);
/** Tenants in which the scope has a say: the caller's own and those of the caller's organisation. */
export const byTenantOrOrganisation = within(
  (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
    or t.tenant_id = any(${tenantsOfOrganisations(scope)}))`,
);
