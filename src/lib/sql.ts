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

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return empty;
  return { strings: ['', ...parts.slice(1).map(() => separator), ''], values: parts };
}

export const empty: Sql = raw('');

export function render(statement: Sql): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const text = write(statement, values);
  return { text, values };
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

function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && 'strings' in value && 'values' in value;
}
