import { raw, type Sql, sql } from '../lib/sql.ts';
import type { Scope } from '../model/principal.ts';
import type { Catalogue, WhereField } from '../query/where/catalogue.ts';
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

/**
 * A member of a record as the store sees it: a column, or nested records read by a sub-select.
 * `as` is the SQL that yields it when that is not simply the column of the same name. A `date` is kept as the ISO 8601
 * text that records show, and is searched and sorted as the moment it names. An address is searched like the canonical
 * form of its chain: regardless of case where the chain's addresses have none.
 */
type Member =
  | { type: ColumnType; as?: string; isAddress?: true | 'canonical' }
  | { type: 'one' | 'many'; from: string; alias: string; members: Members };
export type Members = { readonly [name: string]: Member };

export type Table = {
  /** The record kind, in the words of the API. */
  kind: string;
  name: string;
  members: Members;
  /** Columns that are written but neither read into a record nor searched. */
  hidden?: Readonly<Record<string, ColumnType>>;
  /** Which rows a caller may see, and which change. The table's alias is `t`. */
  visible: (scope: Scope) => Sql;
  writable: (scope: Scope) => Sql;
  /** Whether nested records are chosen by the caller's scope too, which they then find as the row `scope`. */
  isScopedInside?: true;
  /** Rows of the table that are of this kind at all. */
  only?: string;
  /** Tables whose rows are deleted along with a row of this one: the child's column that points here. */
  owns?: () => readonly { table: Table; column: string }[];
  /** Binding tables whose rows vanish along with a row of this one. */
  unbinds?: readonly { table: string; column: string }[];
  /** Arrays inside the record whose items have an id of their own. */
  bindings?: readonly Binding[];
  /** What each unique index means, for the answer to whoever runs into it. */
  unique?: Readonly<Record<string, { member: string; message: string }>>;
};

/** Items that live in a table of their own and belong to one record. */
export type Binding = {
  /** The member of the record that holds the items. */
  member: string;
  table: string;
  /** The column that points at the record. */
  parent: string;
  /** What an item may set; `references` names the kind whose record the value must be. */
  items: Readonly<Record<string, { type: ColumnType; column?: string; references?: () => Table }>>;
  bindings?: readonly Binding[];
};

const nouns: Readonly<Record<string, string>> = {
  apikey: 'API key',
  instance: 'license instance',
  'instance/meta': 'license instance period',
};

/** How a sentence names a record of this kind. */
export function nounOf({ kind }: Pick<Table, 'kind'>): string {
  return nouns[kind] ?? kind.replaceAll('/', ' ');
}

export const id = { id: { type: 'integer' } } as const satisfies Members;
export const times = {
  createdAt: { type: 'integer' },
  updatedAt: { type: 'integer' },
} as const satisfies Members;
export const status = { status: { type: 'string' } } as const satisfies Members;

export function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const selectLists = new WeakMap<readonly string[], Sql>();

/** `select` list for the given members of a record, each under its API name. */
export function selectList(table: Table, names: readonly string[]): Sql {
  const known = selectLists.get(names);
  if (known) return known;
  const columns = names.map((name) => {
    const member = table.members[name];
    if (!member) throw new Error(`The ${table.kind} table has no member ${name}.`);
    return `${expression(member, name, 't')} as "${name}"`;
  });
  const list = raw(columns.join(', '));
  selectLists.set(names, list);
  return list;
}

/** What the where language may name: every member, nested ones included. */
export function catalogueOf(members: Members, alias = 't'): Catalogue {
  const entries = Object.entries(members).flatMap(([name, member]): [string, WhereField][] => {
    if ('from' in member) {
      return [
        [
          name,
          { type: member.type, from: raw(member.from), fields: catalogueOf(member.members, member.alias) },
        ],
      ];
    }
    const column = raw(expression(member, name, alias));
    if (member.type === 'bytes') return [];
    const address = {
      ...(member.isAddress ? { ignoresCase: isAddressWithoutCase } : {}),
      ...(member.isAddress === 'canonical' ? { isLowerCase: true as const } : {}),
    };
    if (member.type === 'string[]') return [[name, { type: 'string', column, array: true, ...address }]];
    if (member.type === 'string') return [[name, { type: 'string', column, ...address }]];
    if (member.type === 'integer[]') return [[name, { type: 'integer', column, array: true }]];
    return [[name, { type: member.type, column }]];
  });
  return Object.fromEntries(entries);
}

/** Base58 and Stellar's keys mean something else in another case. */
const addressesWithoutCase = [
  // Hexadecimal, with and without prefix.
  '0[xX][0-9a-fA-F]*',
  '[0-9a-fA-F]{64}',
  // bech32
  'bc1[02-9ac-hj-np-z]*',
  'BC1[02-9AC-HJ-NP-Z]*',
  // Principals of the Internet Computer.
  '([a-z2-7]{5}-)+[a-z2-7]*',
  '([A-Z2-7]{5}-)+[A-Z2-7]*',
];

function isAddressWithoutCase(address: Sql): Sql {
  return sql`${address} ~ ${raw(`'^(${addressesWithoutCase.join('|')})$'`)}`;
}

function expression(member: Member, name: string, alias: string): string {
  if (!('from' in member)) return member.as ?? `${alias}.${columnOf(name)}`;
  const pairs = Object.entries(member.members).map(
    ([inner, value]) => `'${inner}', ${expression(value, inner, member.alias)}`,
  );
  const object = `json_build_object(${pairs.join(', ')})`;
  return member.type === 'one'
    ? `(select ${object} from ${member.from})`
    : `(select coalesce(json_agg(${object} order by ${member.alias}.id), '[]'::json) from ${member.from})`;
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
    or t.tenant_id in ${tenantsOfOrganisations(scope)})`,
);
