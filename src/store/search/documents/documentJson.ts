import { join, raw, render, type Sql, sql } from '../../../lib/sql.ts';
import type { SqlColumn } from '../../../query/lucene/sqlSource.ts';
import { type DocumentTable, memberColumn } from './documentTable.ts';

type Member = { name: string; column: SqlColumn };

/** Those of tables as most callers see them: the same text for every search. */
const cache = new WeakMap<DocumentTable, WeakMap<readonly string[], Sql>>();

/** SQL for the JSON text of a document with these members; faster than PostgreSQL's row_to_json. */
export function documentJson(table: DocumentTable, names: readonly string[]): Sql {
  const ofTable = cache.get(table) ?? new WeakMap<readonly string[], Sql>();
  cache.set(table, ofTable);
  const template = ofTable.get(names) ?? asText(writeJson(table, names));
  ofTable.set(names, template);
  return template;
}

/** In one piece where no value is bound, so that it is not put together again for each search. */
function asText(statement: Sql): Sql {
  const { text, values } = render(statement);
  return values.length === 0 ? raw(text) : statement;
}

function writeJson(table: DocumentTable, names: readonly string[]): Sql {
  const parts = runsOf(names.map((name) => ({ name, column: memberColumn(table, name) })));
  const template = parts.map((part) => (isMostlyNull(part) ? '%s' : templateOf(part))).join();
  const values = parts.flatMap((part) => (isMostlyNull(part) ? [orAllNull(part)] : part.map(argumentOf)));
  return sql`format(${raw(`'{${template}}'`)}, ${join(values, ', ')})`;
}

/** Members side by side, cut where those begin or end that most documents do not have. */
function runsOf(members: readonly Member[]): Member[][] {
  const runs: Member[][] = [];
  for (const member of members) {
    const last = runs.at(-1);
    if (last?.[0] && isRare(last[0]) === isRare(member)) last.push(member);
    else runs.push([member]);
  }
  return runs;
}

function isRare({ column }: Member): boolean {
  return column.isRare ?? false;
}

function isMostlyNull(run: readonly Member[]): boolean {
  return run.length > 1 && run.every(isRare);
}

const templateOf = (run: readonly Member[]) =>
  run.map(({ name, column }) => `"${name}":${isQuoted(column) ? '"%s"' : '%s'}`).join();

/** One look at all is faster than a null written for each. */
function orAllNull(run: readonly Member[]): Sql {
  const columns = join(
    run.map(({ column }) => column.sql),
    ', ',
  );
  const nulls = run.map(({ name }) => `"${name}":null`).join();
  return sql`case when row(${columns}) is null then ${raw(`'${nulls}'`)}
    else format(${raw(`'${templateOf(run)}'`)}, ${join(run.map(argumentOf), ', ')}) end`;
}

/** True if the template quotes a text that is never null and has nothing to escape. */
function isQuoted({ store, values, characters, isRequired }: SqlColumn): boolean {
  return store === 'text' && (values ?? characters) !== undefined && isRequired === true;
}

/** As it is where `format` prints it as JSON has it: as a text it would be copied twice more. */
function argumentOf({ column }: Member): Sql {
  const { sql: value, store, values, characters, isRequired, json } = column;
  if (isQuoted(column)) return value;
  if (json) return sql`coalesce(${json}, 'null')`;
  if (store === 'text' && (values ?? characters)) return sql`coalesce('"' || (${value}) || '"', 'null')`;
  if (store === 'text' || store === 'text[]') return sql`coalesce(to_json(${value})::text, 'null')`;
  if (store === 'boolean' && isRequired) return sql`case when ${value} then 'true' else 'false' end`;
  return isRequired ? value : sql`coalesce((${value})::text, 'null')`;
}
