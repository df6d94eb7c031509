import { distributedTables } from './distributedTables.ts';

const tables = new RegExp(`\\b(from|join|into|update)(\\s+)(${distributedTables.join('|')})\\b`, 'gi');

/** The statement on the tables of a shard themselves, as `run_on_shard` does it on a worker. */
export function toShardText(text: string, shardIds: Readonly<Record<string, number>>): string {
  return text.replace(
    tables,
    (_, word: string, space: string, table: string) =>
      `${word}${space}${table}_${shardIds[table.toLowerCase()]}`,
  );
}
