import { storableJson } from '../../lib/json.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** State that the following process publishes about endpoints, traces and pending transactions. */
export type PublishedState = 'endpoints' | 'traces' | 'pending';

/** False while a block of the chain is being written, which is not waited for: every wait would hold a connection. */
export async function publishState(
  db: Db,
  { chainUid, holder, of }: { chainUid: string; holder: string; of: PublishedState },
  state: unknown,
): Promise<boolean> {
  const rows = await db.prepared(
    sql`with own as (select chain_uid from chain_cursor where chain_uid = ${chainUid} and holder = ${holder}
        for no key update skip locked)
      update chain_cursor k set ${raw(of)} = ${storableJson(state)}::jsonb from own
      where k.chain_uid = own.chain_uid returning 1`,
  );
  return rows.length > 0;
}
