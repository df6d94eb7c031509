import { sql } from '../../../lib/sql.ts';
import type { Db } from '../../db/db.ts';
import { perTenant } from '../../db/shards/perTenant.ts';
import { dayMs, monthBase } from '../rollups/rollups.ts';
import { boundsOf, monthOf } from './partitions.ts';

type Renewed = { tenantId: number; contractId: number; timestamp: number };

/**
 * Gives roll-ups of alerts with changed texts a new version, which invalidates cached counts of ended months
 * (`countExactly`). Months do not end within a day, so younger alerts need none.
 */
export async function renewRollups(tx: Db, alerts: readonly Renewed[], now: number): Promise<void> {
  await perTenant(
    tx,
    alerts.filter(({ timestamp }) => timestamp < now - dayMs),
    (old, ofTenant) => {
      // A row of its own or in its packed month.
      const days = old.flatMap(({ timestamp }) => [
        Math.floor(timestamp / dayMs),
        monthBase + boundsOf(monthOf(timestamp)).from / dayMs,
      ]);
      return tx.query(
        sql`update alert_rollup r set recent = r.recent
          where r.tenant_id = any(${old.map(({ tenantId }) => tenantId)}::bigint[]) and ${ofTenant('r')}
            and r.contract_id = any(${[0, ...old.map(({ contractId }) => contractId)]}::bigint[])
            and r.day = any(${days}::int4[])`,
      );
    },
  );
}
