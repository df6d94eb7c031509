import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

type BindingKey = { tenantId: number; actionId: number; binding: string };

/** Records how many times in a row the scripts of a binding timed out. */
export async function saveScriptTimeouts(
  db: Db,
  { tenantId, actionId, binding }: BindingKey,
  count: number,
  now: number,
): Promise<void> {
  await db.query(
    sql`insert into binding_timeout (tenant_id, action_id, binding, count, updated_at)
      values (${tenantId}, ${actionId}, ${binding}, ${count}, ${now})
      on conflict (tenant_id, action_id, binding) do update set count = excluded.count,
        updated_at = excluded.updated_at`,
  );
}

/** An action that is saved again starts with a count of zero. */
export async function resetScriptTimeouts(
  tx: Db,
  { tenantId, actionId }: { tenantId: number; actionId: number },
): Promise<void> {
  await tx.query(sql`delete from binding_timeout where tenant_id = ${tenantId} and action_id = ${actionId}`);
}
