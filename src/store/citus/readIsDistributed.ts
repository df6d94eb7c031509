type Ask = (text: string) => Promise<Record<string, unknown>[]>;

/** The tables of Citus exist only where the extension does, so that they are asked for second. */
export async function readIsDistributed(ask: Ask): Promise<boolean> {
  const extension = await ask(`select from pg_extension where extname = 'citus'`);
  if (extension.length === 0) return false;
  const tables = await ask(`select from pg_dist_partition where logicalrelid = to_regclass('alert')`);
  return tables.length > 0;
}
