import type { Sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';
import { holdShards } from './holdShards.ts';

/**
 * Runs a statement for the items of each shard on its worker, as one that changes several tables or rows of several tenants can
 * only be run there. Its rows are texts of JSON, in the column `shard_row`.
 */
export async function perShard<Item, Row>(
  tx: Db,
  items: readonly Item[],
  tenantOf: (item: Item) => number,
  statement: (items: readonly Item[]) => Sql,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [tenantId, own] of await holdShards(tx, items, tenantOf)) {
    const found = await (tx.atTenant?.(tenantId) ?? tx).prepared<{ shard_row: string }>(statement(own));
    for (const { shard_row } of found) rows.push(JSON.parse(shard_row) as Row);
  }
  return rows;
}
