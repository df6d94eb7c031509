import { renderCached, type Sql } from '../../../lib/sql.ts';
import { runOnShards, type ShardStatement } from '../citus/runOnShards.ts';
import type { Db } from '../db.ts';
import { holdShards } from './holdShards.ts';

/**
 * Runs a statement for the items of each shard on its worker, because several tables or tenants can only change there.
 * It begins with `with`, casts each value, and returns JSON texts in one column.
 */
export async function perShard<Item, Row>(
  tx: Db,
  items: readonly Item[],
  tenantOf: (item: Item) => number,
  statement: (items: readonly Item[]) => Sql,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const statements of await callsOf(tx, items, tenantOf, statement)) {
    const found = await tx.prepared<{ row: string }>(runOnShards(statements));
    for (const { row } of found) rows.push(JSON.parse(row) as Row);
  }
  return rows;
}

type Call = [ShardStatement, ...ShardStatement[]];

/** Shards of one worker, one after the other, are one call where their statements have one text. */
async function callsOf<Item>(
  tx: Db,
  items: readonly Item[],
  tenantOf: (item: Item) => number,
  statement: (items: readonly Item[]) => Sql,
): Promise<Call[]> {
  const calls: { worker: number; statements: Call }[] = [];
  for (const { worker, tenantId, items: shardItems } of await holdShards(tx, items, tenantOf)) {
    const next = { tenantId, ...renderCached(statement(shardItems)) };
    const last = calls.at(-1);
    if (last?.worker === worker && last.statements[0].text === next.text) last.statements.push(next);
    else calls.push({ worker, statements: [next] });
  }
  return calls.map(({ statements }) => statements);
}
