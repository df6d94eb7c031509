/**
 * SQL text with its bound values kept apart. Fragments nest; values become $1, $2 … only when the
 * whole statement is rendered, so text of a caller can never become SQL.
 */
export type Sql = { readonly strings: readonly string[]; readonly values: readonly unknown[] };

export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return { strings, values };
}

/** Trusted SQL text: names of our own tables and columns, never anything a caller sent. */
export function raw(text: string): Sql {
  return { strings: [text], values: [] };
}

/** In the text of the statement, for what decides how it is planned: of a bound limit, PostgreSQL expects a tenth of all rows. */
export function integer(value: number): Sql {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not an integer.`);
  return raw(String(value));
}

/** A value that the planner does not see: it would otherwise plan a prepared statement again for each value. */
export function unplanned(value: number | string): Sql {
  return typeof value === 'number' ? sql`(select ${value}::bigint)` : sql`(select ${value}::text)`;
}

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return empty;
  return { strings: ['', ...parts.slice(1).map(() => separator), ''], values: parts };
}

export const empty: Sql = raw('');

/** A statement that is sent more than once, whose text is put together only once. */
type Rendered = Sql & { readonly text: string; readonly bound: readonly unknown[] };

export function renderOnce(statement: Sql): Sql {
  const { text, values } = render(statement);
  const rendered: Rendered = { ...statement, text, bound: values };
  return rendered;
}

export function render(statement: Sql): { text: string; values: unknown[] } {
  if (isRendered(statement)) return { text: statement.text, values: [...statement.bound] };
  const values: unknown[] = [];
  const text = write(statement, values);
  return { text, values };
}

function isRendered(statement: Sql): statement is Rendered {
  return 'bound' in statement;
}

function write(part: Sql, values: unknown[]): string {
  let text = part.strings[0]!;
  for (let i = 0; i < part.values.length; i++) {
    const value = part.values[i];
    if (isSql(value)) text += write(value, values);
    else text += `$${values.push(value)}`;
    text += part.strings[i + 1]!;
  }
  return text;
}

/** A step on the way through the parts of a statement; where a statement ends there is its text. */
type Step = { text?: string; next: Map<unknown, Step> };
const start: Step = { next: new Map() };

/** As `render`, for repeated statements: their text is cached by their parts. */
export function renderCached(statement: Sql): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const end = follow(statement, start, values);
  end.text ??= render(statement).text;
  return { text: end.text, values };
}

function follow(part: Sql, from: Step, values: unknown[]): Step {
  let step = stepTo(from, keyOf(part.strings));
  for (const value of part.values) {
    if (isSql(value)) step = follow(value, step, values);
    else {
      step = stepTo(step, bound);
      values.push(value);
    }
  }
  return step;
}

const bound = Symbol('bound');

/** A template is the same array every time; the others are known by their text, in which NUL never occurs. */
function keyOf(strings: readonly string[]): unknown {
  return 'raw' in strings ? strings : strings.join('\u0000');
}

function stepTo(from: Step, key: unknown): Step {
  let step = from.next.get(key);
  if (!step) {
    step = { next: new Map() };
    from.next.set(key, step);
  }
  return step;
}

function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && 'strings' in value && 'values' in value;
}
