import { empty, sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';

export type Expectation = {
  kind: string;
  values?: Record<string, string> | null;
  amountMember?: string | null;
  amountUpTo?: string | null;
};

/** A planned change as alerts are judged by it. */
export type PlannedChange = {
  id: number;
  tenantId: number;
  contractId: number;
  name: string;
  actors: string[];
  from: number;
  to: number;
  effectiveAt: number;
  expected: Expectation[];
};

export type SpentAmount = { plannedChangeId: number; expectation: number; amount: string };

/** An alert that a planned change has judged. */
export type PlannedAlert = {
  tenantId: number;
  plannedChangeId: number;
  expectation: number;
  uid: string;
  timestamp: number;
  isMatch: boolean;
  amount: string | null;
};

const members = sql`p.id, p.tenant_id as "tenantId", p.contract_id as "contractId", p.name, p.actors,
  p.starts_at as "from", p.ends_at as "to", p.effective_at as "effectiveAt", p.expected`;

/** The changes of these contracts whose window has the time of any finding, locked so that their amounts are spent in turn. */
export async function lockPlannedChanges(
  tx: Db,
  contracts: readonly { tenantId: number; contractId: number }[],
  times: { from: number; to: number },
): Promise<PlannedChange[]> {
  return tx.prepared<PlannedChange>(
    sql`select ${members} from unnest(${contracts.map(({ tenantId }) => tenantId)}::bigint[],
        ${contracts.map(({ contractId }) => contractId)}::bigint[]) k(tenant_id, contract_id)
      join planned_change p on p.tenant_id = k.tenant_id and p.contract_id = k.contract_id
      where p.state in ('OPEN', 'HAPPENED', 'MISSED') and p.status <> 'DELETED'
        and p.starts_at <= ${times.to} and p.ends_at > ${times.from}
      order by p.id for no key update of p`,
  );
}

/** Parts of the amounts of these changes that alerts have taken so far. */
export async function findSpent(tx: Db, ids: readonly number[]): Promise<SpentAmount[]> {
  return tx.prepared<SpentAmount>(
    sql`select planned_change_id as "plannedChangeId", expectation, sum(amount)::text as amount
      from planned_change_alert where planned_change_id = any(${ids}::bigint[]) and is_match and amount is not null
      group by 1, 2`,
  );
}

export async function insertPlannedAlerts(tx: Db, alerts: readonly PlannedAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`insert into planned_change_alert (tenant_id, planned_change_id, expectation, alert_uid, alert_timestamp,
        is_match, amount)
      select * from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ plannedChangeId }) => plannedChangeId)}::bigint[],
        ${alerts.map(({ expectation }) => expectation)}::integer[],
        ${alerts.map(({ uid }) => uid)}::uuid[],
        ${alerts.map(({ timestamp }) => timestamp)}::bigint[],
        ${alerts.map(({ isMatch }) => isMatch)}::boolean[],
        ${alerts.map(({ amount }) => amount)}::numeric[])
      on conflict (tenant_id, planned_change_id, alert_uid) do update
        set expectation = excluded.expectation, is_match = excluded.is_match, amount = excluded.amount`,
  );
}

/** Alerts that were retracted did not happen: they take nothing of an amount and fulfil nothing. */
export async function deletePlannedAlerts(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string }[],
): Promise<void> {
  if (alerts.length === 0) return;
  await tx.prepared(
    sql`delete from planned_change_alert a
      using unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[])
        k(tenant_id, uid)
      where a.tenant_id = k.tenant_id and a.alert_uid = k.uid`,
  );
}

/** Changes whose window has ended, once the chain of the contract has come past that time or is not followed. */
export async function findDuePlannedChanges(db: Db, now: number, graceMs: number): Promise<number[]> {
  const rows = await db.prepared<{ id: number }>(
    sql`select p.id from planned_change p
      join contract c on c.tenant_id = p.tenant_id and c.id = p.contract_id
      left join chain_cursor k on k.chain_uid = c.chain_uid
      where p.state = 'OPEN' and p.status <> 'DELETED' and p.ends_at + ${graceMs}::bigint <= ${now}
        and (coalesce(k.lease_until, '-infinity') <= clock_timestamp() or p.ends_at + ${maxWaitMs}::bigint <= ${now}
          or exists (select from chain_block b where b.chain_uid = c.chain_uid and b.timestamp >= p.ends_at))
      order by p.ends_at, p.id limit 100`,
  );
  return rows.map(({ id }) => id);
}

/** A chain that stands still does not keep people waiting for longer. */
const maxWaitMs = 3_600_000;

export type DuePlannedChange = PlannedChange & {
  projectId: number;
  chainUid: string;
  contractName: string;
  /** The expectations that alerts have fulfilled. */
  happened: number[];
};

/** A change that is still open, locked; undefined if another process has settled it. */
export async function lockDuePlannedChange(tx: Db, id: number): Promise<DuePlannedChange | undefined> {
  const rows = await tx.prepared<DuePlannedChange>(
    sql`select ${members}, c.project_id as "projectId", c.chain_uid as "chainUid", c.name as "contractName",
        array(select distinct a.expectation from planned_change_alert a
          where a.tenant_id = p.tenant_id and a.planned_change_id = p.id and a.is_match order by 1) as happened
      from planned_change p join contract c on c.tenant_id = p.tenant_id and c.id = p.contract_id
      where p.id = ${id} and p.state = 'OPEN' and p.status <> 'DELETED' for update of p skip locked`,
  );
  return rows[0];
}

export async function settlePlannedChange(
  tx: Db,
  id: number,
  state: 'HAPPENED' | 'MISSED',
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`update planned_change set state = ${state}, settled_at = ${now}, updated_at = ${now} where id = ${id}`,
  );
}

/** Confirms or cancels a change, if it is in one of these states. */
export async function changePlannedState(
  tx: Db,
  id: number,
  from: readonly string[],
  change: { state: 'OPEN'; confirmedBy: number | null } | { state: 'CANCELED' },
  now: number,
): Promise<boolean> {
  const confirmed =
    change.state === 'OPEN' ? sql`, confirmed_by = ${change.confirmedBy}, effective_at = ${now}` : empty;
  const rows = await tx.query(
    sql`update planned_change set state = ${change.state}, updated_at = ${now} ${confirmed}
      where id = ${id} and state = any(${from}::text[]) and ends_at > ${now} returning 1`,
  );
  return rows.length > 0;
}

export type JudgedAlert = { uid: string; expectation: number; isMatch: boolean; timestamp: number };

export async function findJudgedAlerts(db: Db, tenantId: number, id: number): Promise<JudgedAlert[]> {
  return db.prepared<JudgedAlert>(
    sql`select alert_uid::text as uid, expectation, is_match as "isMatch", alert_timestamp as timestamp
      from planned_change_alert where tenant_id = ${tenantId} and planned_change_id = ${id}
      order by alert_timestamp desc, alert_uid limit 1000`,
  );
}

/** True if a wallet of the tenant asks for a second person. */
export async function hasGuardedWallet(db: Db, tenantId: number): Promise<boolean> {
  const rows = await db.prepared<{ has: boolean }>(
    sql`select exists (select from wallet where tenant_id = ${tenantId} and require_approval
      and status <> 'DELETED') as has`,
  );
  return onlyRow(rows).has;
}
