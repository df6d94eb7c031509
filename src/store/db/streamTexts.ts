import type pg from 'pg';

export type OnText = (text: string) => void;

/** Runs a statement with one column and hands over the text of each row as it comes; returns no rows. */
export async function streamTexts(
  client: pg.ClientBase,
  query: pg.QueryConfig,
  onText: OnText,
): Promise<pg.QueryResult> {
  const result = await client.query({ ...query, types: { getTypeParser: () => onText } });
  return { ...result, rows: [] };
}
