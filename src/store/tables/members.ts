import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { Catalogue, WhereField } from '../../query/where/catalogue.ts';
import type { Member, Members, Table } from './table.ts';

export function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const selectLists = new WeakMap<readonly string[], Sql>();

/** `select` list for the given members of a record, each under its API name. */
export function selectList(table: Table, names: readonly string[]): Sql {
  const cached = selectLists.get(names);
  if (cached) return cached;
  const columns = names.map((name) => {
    const member = table.members[name];
    if (!member) throw new Error(`The ${table.kind} table has no member ${name}.`);
    return `${expression(member, name, 't')} as "${name}"`;
  });
  const list = raw(columns.join(', '));
  selectLists.set(names, list);
  return list;
}

/** Names of the where language: every member, nested ones included. */
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
