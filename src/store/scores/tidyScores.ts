import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/** Forgets what was still to be scored of instances that were deleted. */
export async function tidyScores(db: Db): Promise<void> {
  await db.query(
    sql`delete from score_work w using license_instance i
      where i.tenant_id = w.tenant_id and i.id = w.license_instance_id and i.status = 'DELETED'`,
  );
}
