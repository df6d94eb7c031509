import { distributedTables } from './distributedTables.ts';
import { awaitLayout } from './layoutLock.ts';

type Ask = (text: string) => Promise<Record<string, unknown>[]>;

/**
 * The distributed ones of these tables. The catalogue of Citus exists only with the extension, so it is read second.
 */
export async function readDistributed(ask: Ask): Promise<ReadonlySet<string>> {
  await ask(awaitLayout);
  const extension = await ask(`select from pg_extension where extname = 'citus'`);
  if (extension.length === 0) return new Set();
  const rows = await ask(`select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`);
  const names = new Set(rows.map(({ name }) => name));
  return new Set(distributedTables.filter((table) => names.has(table)));
}
