import { raw, sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db.ts';

const uses = {
  'actions of a wallet':
    'action x join wallet t on t.tenant_id = x.tenant_id and t.id = x.wallet_id where t.id',
  'tenants of an organisation': 'tenant x where x.organisation_id',
  'licenses of an organisation': 'license x where x.organisation_id',
  'instances of an organisation': 'license_instance x where x.organisation_id',
  'subscriptions of a plan': 'subscription x where x.plan_id',
  'detectors of a schema': 'detector x where x.schema_id',
  'instances of a license': 'license_instance x where x.license_id',
} as const;

export type UseOf = keyof typeof uses;

/** How many records that are not deleted point at this one; the caller has locked it. */
export async function countUses(db: Db, use: UseOf, id: number): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(*) as count from ${raw(uses[use])} = ${id} and x.status <> 'DELETED'`,
  );
  return onlyRow(rows).count;
}
