import { createBoundedMap } from '../../../lib/createBoundedMap.ts';
import { distributedTables } from './distributedTables.ts';

type Query = { text: string; values: readonly unknown[] };

const maxTexts = 1000;
const texts = createBoundedMap<string, { isDistributed: boolean; positions: readonly number[] }>(maxTexts);

const names = distributedTables.join('|');
const before = 'from|join|into|update|partition of|drop table|lock table';
/** The table, or one of its months and days. */
const relation = new RegExp(`\\b(?:${before})\\s+(?:${names})(?:_\\d[\\d_]*)?\\b`, 'i');
/** Commands of Citus for workers, of which one may name a tenant by its shard. */
const command = /\b(?:run_command_on_workers|master_run_on_worker)\(/;
const shard = /\bget_shard_id_for_distribution_column\('\w+', \$(\d+)/g;
const call = /\brun_on_shards?\(\$(\d+)/g;
const condition = /\btenant_id\s*=\s*(?:any\s*\(\s*)?\$(\d+)/gi;
const insertion = /\binsert into \w+ \(tenant_id\b[^)]*\)\s+select\s+\$(\d+)/gi;

/**
 * The tenants that a statement on distributed tables names, and so the workers that it needs: all of them where it names none.
 * Undefined for a statement on other tables.
 */
export function readTenants({ text, values }: Query): readonly number[] | 'all' | undefined {
  let shape = texts.get(text);
  if (!shape) {
    const calls = positionsIn(text, call);
    const isCommand = command.test(text);
    const isDistributed = calls.length > 0 || isCommand || relation.test(text);
    const named = isCommand
      ? positionsIn(text, shard)
      : [...positionsIn(text, condition), ...positionsIn(text, insertion)];
    shape = { isDistributed, positions: calls.length > 0 ? calls : named };
    texts.set(text, shape);
  }
  if (!shape.isDistributed) return undefined;
  const tenantIds = shape.positions.flatMap((position) => values[position - 1]).filter(isId);
  return tenantIds.length > 0 ? tenantIds : 'all';
}

function positionsIn(text: string, pattern: RegExp): number[] {
  return Array.from(text.matchAll(pattern), ([, position]) => Number(position));
}

function isId(value: unknown): value is number {
  return typeof value === 'number';
}
