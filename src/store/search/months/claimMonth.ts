import { sql } from '../../../lib/sql.ts';
import type { Store } from '../../db/db.ts';

/** Some alerts come late; after this long hardly one does. */
export const settledMs = 3 * 86_400_000;
/** A process that took longer has died. */
const abandonedMs = 86_400_000;

/** True if this process is the one that does the work due once after each month. */
export async function claimMonth(store: Store, name: string, now: number): Promise<boolean> {
  const rows = await store.query(
    sql`insert into rebuilt_month as r (name, started_at, is_done) values (${name}, ${now}, false)
      on conflict (name) do update set started_at = excluded.started_at
        where not r.is_done and r.started_at < ${now - abandonedMs}
      returning 1`,
  );
  return rows.length > 0;
}

export async function finishMonth(store: Store, name: string): Promise<void> {
  await store.query(sql`update rebuilt_month set is_done = true where name = ${name}`);
}
