import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { join, raw, render, type Sql, sql } from '../../lib/sql.ts';
import type { Db } from './db.ts';

type Row = pg.QueryResultRow;
type Waiting = { values: unknown[]; resolve: (rows: Row[]) => void; reject: (error: unknown) => void };
type Run = (statement: Sql) => Promise<Row[]>;

/**
 * The database for many pieces of work at once: reads of one text within one turn of the event loop become one statement.
 * So a thousand records are checked by as many statements as one.
 */
export function gatherReads(db: Db): Db {
  const waiting = new Map<string, Waiting[]>();
  let isFlushing = false;

  function gather<R extends Row>(statement: Sql, run: Run): Promise<R[]> {
    const { text, values } = render(statement);
    if (!/^\s*select\b/i.test(text)) return run(statement) as Promise<R[]>;
    return new Promise<Row[]>((resolve, reject) => {
      const line = waiting.get(text) ?? [];
      waiting.set(text, line);
      line.push({ values, resolve, reject });
      if (!isFlushing) void flush();
    }) as Promise<R[]>;
  }

  /** Never rejects: the callers get the failures. */
  async function flush(): Promise<void> {
    isFlushing = true;
    while (waiting.size > 0) {
      await nextTurn();
      const lines = [...waiting];
      waiting.clear();
      for (const [text, line] of lines) await answerAll(db, text, line);
    }
    isFlushing = false;
  }

  return {
    ...db,
    query: (statement) => gather(statement, (own) => db.query(own)),
    prepared: (statement) => gather(statement, (own) => db.prepared(own)),
    repeated: (statement) => gather(statement, (own) => db.repeated(own)),
  };
}

async function answerAll(db: Db, text: string, line: readonly Waiting[]): Promise<void> {
  const groups = new Map<string, Waiting[]>();
  for (const item of line) {
    const key = JSON.stringify(item.values);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  const distinct = [...groups.values()];
  try {
    const answers = await askTogether(
      db,
      text,
      distinct.map(([first]) => first?.values ?? []),
    );
    for (const [index, group] of distinct.entries()) {
      // The callers go on in turns, since what each does next takes time too.
      await yieldToEventLoop();
      for (const { resolve } of group) resolve(answers[index] ?? []);
    }
  } catch (error) {
    for (const { reject } of line) reject(error);
  }
}

/** The rows for each list of values, in their order. */
async function askTogether(db: Db, text: string, lists: readonly unknown[][]): Promise<Row[][]> {
  const together = lists.length > 1 ? combine(text, lists) : undefined;
  if (!together) {
    const answers: Row[][] = [];
    for (const values of lists) answers.push(await db.query(bound(text, values)));
    return answers;
  }
  const answers = lists.map((): Row[] => []);
  for (const { gatheredAs, ...row } of await db.query(together)) answers[Number(gatheredAs) - 1]?.push(row);
  return answers;
}

function bound(text: string, values: readonly unknown[]): Sql {
  return fill(text, (index) => sql`${values[index]}`);
}

/** The text with its parameters, numbered from 0, replaced. */
function fill(text: string, parameter: (index: number) => Sql): Sql {
  const parts = text.split(/\$(\d+)/);
  return join(
    parts.map((part, n) => (n % 2 === 0 ? raw(part) : parameter(Number(part) - 1))),
    '',
  );
}

/** One statement for all; undefined where it locks rows, or where a value that differs has a type that text cannot carry. */
function combine(text: string, lists: readonly unknown[][]): Sql | undefined {
  if (/\bfor (?:no key )?(?:update|key share|share)\b/i.test(text)) return undefined;
  const [first = []] = lists;
  const columns: { name: string; values: Sql }[] = [];
  const parameters: Sql[] = [];
  for (const [index, value] of first.entries()) {
    const values = lists.map((list) => list[index]);
    const isSame = values.every((one) => one === value || JSON.stringify(one) === JSON.stringify(value));
    if (isSame) {
      parameters.push(sql`${value}`);
      continue;
    }
    const type = typeOf(values);
    if (!type) return undefined;
    const name = `p${index}`;
    columns.push({ name, values: columnOf(values, type) });
    parameters.push(raw(type.endsWith('[]') ? `gathered.${name}::${type}` : `gathered.${name}`));
  }
  const names = columns.map(({ name }) => name).join(', ');
  const arrays = join(
    columns.map(({ values }) => values),
    ', ',
  );
  return sql`select gathered.number as "gatheredAs", answer.*
    from unnest(${arrays}) with ordinality as gathered(${raw(names)}, number),
      lateral (${fill(text, (index) => parameters[index] ?? raw('null'))}) answer
    order by gathered.number`;
}

type ColumnType = 'bigint' | 'text' | 'boolean' | 'bigint[]';

function typeOf(values: readonly unknown[]): ColumnType | undefined {
  const isAll = (fits: (value: unknown) => boolean) => values.every((value) => value === null || fits(value));
  if (isAll(Number.isSafeInteger)) return 'bigint';
  if (isAll((value) => typeof value === 'string')) return 'text';
  if (isAll((value) => typeof value === 'boolean')) return 'boolean';
  // An array of arrays would be one array of two dimensions, so each travels as text.
  if (values.every((value) => Array.isArray(value) && value.every(Number.isSafeInteger))) return 'bigint[]';
  return undefined;
}

function columnOf(values: readonly unknown[], type: ColumnType): Sql {
  if (type !== 'bigint[]') return sql`${values}::${raw(type)}[]`;
  return sql`${values.map((value) => `{${(value as readonly number[]).join(',')}}`)}::text[]`;
}
