import { raw, type Sql, sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';

// Actions by tenant and wallet, with which their index begins.
const ofWallets = `(select x.status, t.id from action x
  join wallet t on t.tenant_id = x.tenant_id and t.id = x.wallet_id) of_wallets`;

// Few wallets ask for approvals; the index of those is read whole.
const ofApprovers = `(select w.status, a.id from wallet w, unnest(w.approvers) a (id)
  where w.require_approval and w.status <> 'DELETED') of_approvers`;

const uses = {
  'actions of a wallet': `${ofWallets} where id`,
  'wallets of an approver': `${ofApprovers} where id`,
  'tenants of an organisation': 'tenant where organisation_id',
  'licenses of an organisation': 'license where organisation_id',
  'instances of an organisation': 'license_instance where organisation_id',
  'subscriptions of a plan': 'subscription where plan_id',
  'detectors of a schema': 'detector where schema_id',
  'silences of a time set': `(select status, time_set_id from silence
    where ends_at > extract(epoch from clock_timestamp()) * 1000) of_time_set where time_set_id`,
  'routes of a time set': `(select status, active_time_set_id as time_set_id from route
    union all select status, mute_time_set_id from route) of_time_set where time_set_id`,
  'routes below a route': 'route where parent_id',
  'instances of a license': 'license_instance where license_id',
} as const;

/** Uses by records that name several in an array. */
const usesInArrays = { 'routes of a destination': 'route where destination_ids' } as const;

export type UseOf = keyof typeof uses | keyof typeof usesInArrays;

/** Number of live records that refer to this one; the caller has locked it. */
export async function countUses(db: Db, use: UseOf, id: number): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(*) as count from ${usedBy(use, id)} and status <> 'DELETED'`,
  );
  return onlyRow(rows).count;
}

function usedBy(use: UseOf, id: number): Sql {
  return use === 'routes of a destination'
    ? sql`${raw(usesInArrays[use])} @> array[${id}]::bigint[]`
    : sql`${raw(uses[use])} = ${id}`;
}
