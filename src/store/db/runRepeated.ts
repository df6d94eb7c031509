import type pg from 'pg';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { type OnText, streamTexts } from './streamTexts.ts';

type Query = { text: string; values: unknown[]; onText?: OnText | undefined };

/**
 * Runs a statement of one of many shapes. Repeated ones are prepared, so that PostgreSQL does not plan every partition
 * again; a connection keeps only the last few, because plans take memory.
 */
export async function runRepeated(
  client: pg.ClientBase,
  { onText, ...query }: Query,
): Promise<pg.QueryResult> {
  const run = (named: pg.QueryConfig) => (onText ? streamTexts(client, named, onText) : client.query(named));
  const name = nameOfRepeated(query.text);
  if (name === undefined) return run(query);
  const names = keptNames.get(client) ?? new Set();
  keptNames.set(client, names);
  if (!names.delete(name) && names.size >= maxKept) await forgetOldest(client, names);
  names.add(name);
  return run({ ...query, name });
}

/** Plans per connection, with some hundred kilobytes each. */
const maxKept = 24;
const keptNames = new WeakMap<pg.ClientBase, Set<string>>();

async function forgetOldest(client: pg.ClientBase, names: Set<string>): Promise<void> {
  const [oldest = ''] = names;
  names.delete(oldest);
  // The driver does not know how to forget a statement; without this it would keep the text.
  const { connection } = client as unknown as { connection: { parsedStatements: Record<string, string> } };
  if (!(oldest in connection.parsedStatements)) return;
  delete connection.parsedStatements[oldest];
  await client.query(`deallocate ${oldest}`);
}

/** Texts that were asked last, with the name of those that were asked more than once. */
const maxTexts = 500;
const texts = createBoundedMap<string, string | undefined>(maxTexts);
/** Longer ones are those of queries with many clauses, which nobody repeats often. */
const maxLength = 20_000;
let names = 0;

/** Undefined for what was not asked before. */
export function nameOfRepeated(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  const isKnown = texts.has(text);
  // A name is never used again, so that it means the same in every connection.
  const name = isKnown ? (texts.get(text) ?? `repeated_${++names}`) : undefined;
  texts.set(text, name);
  return name;
}
