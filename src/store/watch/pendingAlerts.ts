import { storableJson } from '../../lib/json.ts';
import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { Finding } from '../../model/alert.ts';
import type { BlockRef } from '../../model/block.ts';
import type { Db } from '../db/db.ts';
import { findCommitted } from '../db/shards/findCommitted.ts';
import { perTenant } from '../db/shards/perTenant.ts';
import { severitySql } from '../search/documents/alertTable.ts';
import { incidentUidSql } from '../search/documents/incidentUidSql.ts';
import { eidSql, txHashSql } from '../search/documents/packedHashes.ts';

/** Identifies a finding in a transaction by its source and position: the same with or without a block. */
export type PendingPlace = { txHash: string; tenantId: number; source: string; place: string };

export type PendingAlertRow = PendingPlace & {
  uid: string;
  timestamp: number;
  sender: string;
  nonce: number;
  maxFee: string;
  tip: string | null;
  needsTrace: boolean;
};

/** Inserts those that are new or were retracted, with the uid and time that each has had since it was first raised. */
export async function insertPendingAlerts(
  tx: Db,
  chainUid: string,
  rows: readonly PendingAlertRow[],
  now: number,
): Promise<(PendingPlace & { uid: string; timestamp: number })[]> {
  return tx.prepared(
    sql`insert into pending_alert as p (chain_uid, tx_hash, tenant_id, source, place, alert_uid, alert_timestamp,
        sender, nonce, max_fee, tip, needs_trace, created_at, updated_at)
      select ${chainUid}, r."txHash", r."tenantId", r.source, r.place, r.uid, r.timestamp, r.sender, r.nonce,
        r."maxFee", r.tip, r."needsTrace", ${now}::bigint, ${now}::bigint
      from json_to_recordset(${storableJson(rows)}::json) as r("txHash" text, "tenantId" bigint, source text,
        place text, uid uuid, timestamp bigint, sender text, nonce bigint, "maxFee" numeric, tip numeric,
        "needsTrace" boolean)
      on conflict (chain_uid, tx_hash, tenant_id, source, place) do update
        set state = 'PENDING', block_number = null, block_hash = null, updated_at = excluded.updated_at
        where p.state = 'GONE'
      returning tx_hash as "txHash", tenant_id as "tenantId", source, place, alert_uid::text as uid,
        alert_timestamp as timestamp`,
  );
}

/** A transaction with alerts that no block has shown yet. */
export type TrackedTransaction = {
  hash: string;
  from: string;
  nonce: number;
  maxFee: string;
  state: 'PENDING' | 'MINED';
};

export async function listTracked(db: Db, chainUid: string): Promise<TrackedTransaction[]> {
  return db.query<TrackedTransaction>(
    sql`select tx_hash as hash, min(sender) as "from", min(nonce) as nonce, min(max_fee)::text as "maxFee",
        min(state) as state
      from pending_alert where chain_uid = ${chainUid} and state in ('PENDING', 'MINED') group by tx_hash`,
  );
}

/** The block that has a transaction. `isTraced`: what happens within it is evaluated as well. */
export type MinedTransaction = { hash: string; block: BlockRef; isTraced: boolean };

export async function markMined(
  tx: Db,
  chainUid: string,
  mined: readonly MinedTransaction[],
  now: number,
): Promise<void> {
  if (mined.length === 0) return;
  await tx.prepared(
    sql`update pending_alert p set state = 'MINED', block_number = m.number, block_hash = m.hash,
        is_traced = m.traced, updated_at = ${now}::bigint
      from unnest(${mined.map(({ hash }) => hash)}::text[], ${mined.map(({ block }) => block.number)}::bigint[],
        ${mined.map(({ block }) => block.hash)}::text[], ${mined.map(({ isTraced }) => isTraced)}::boolean[])
        as m(tx_hash, number, hash, traced)
      where p.chain_uid = ${chainUid} and p.tx_hash = m.tx_hash and p.state = 'PENDING'`,
  );
}

/** An alert of a pending transaction, held until the transaction ends. */
export type HeldPending = PendingPlace & {
  uid: string;
  timestamp: number;
  state: 'PENDING' | 'MINED' | 'ADOPTED' | 'GONE';
  numericSeverity: number;
  incidentUid: string | null;
  isRetracted: boolean;
};

/** The alerts that these transactions had while they were pending, by their places. */
export async function holdPending(
  tx: Db,
  chainUid: string,
  hashes: readonly string[],
): Promise<HeldPending[]> {
  const shown = sql`t.numeric_severity as "numericSeverity", ${incidentUidSql}::text as "incidentUid",
    t.retracted_at is not null as "isRetracted"`;
  const held =
    raw(`p.tx_hash as "txHash", p.tenant_id as "tenantId", p.source, p.place, p.alert_uid::text as uid,
    p.alert_timestamp as timestamp, p.state`);
  if (await tx.isDistributed()) {
    const places = await tx.prepared<PendingPlace & AlertKey & Pick<HeldPending, 'state'>>(
      sql`select ${held} from pending_alert p where p.chain_uid = ${chainUid} and p.tx_hash = any(${hashes}::text[])
        order by p.tenant_id, p.source, p.place for update of p`,
    );
    const alerts = await readOnWorkers<Omit<HeldPending, keyof PendingPlace>>(
      tx,
      places,
      shown,
      raw('for update of t'),
    );
    return places.flatMap((row) =>
      alerts.flatMap((alert) => (alert.uid === row.uid ? [{ ...row, ...alert }] : [])),
    );
  }
  return tx.prepared<HeldPending>(
    sql`select ${held}, ${shown}
      from pending_alert p join alert t on t.tenant_id = p.tenant_id and t.timestamp = p.alert_timestamp
        and t.uid = p.alert_uid
      where p.chain_uid = ${chainUid} and p.tx_hash = any(${hashes}::text[])
      order by p.tenant_id, p.source, p.place for update of p, t`,
  );
}

/** Members of alerts that are not beside what leads to them. */
async function readOnWorkers<Row extends { uid: string }>(
  tx: Db,
  keys: readonly AlertKey[],
  members: Sql,
  lock = sql``,
): Promise<Row[]> {
  return findCommitted(tx, keys, (of, ofTenant) =>
    tx.prepared<Row>(
      sql`select t.uid::text, ${members} from unnest(${of.map(({ timestamp }) => timestamp)}::bigint[],
          ${of.map(({ uid }) => uid)}::uuid[]) k(timestamp, uid)
        join alert t on t.timestamp = k.timestamp and t.uid = k.uid and ${ofTenant('t')} ${lock}`,
    ),
  );
}

/** Gives alerts what their block shows; one that was retracted stays so until it is raised again. */
export async function adoptAlerts(
  tx: Db,
  chainUid: string,
  adopted: readonly (PendingPlace & { row: Record<string, unknown>; blockHash: string | null })[],
  now: number,
): Promise<void> {
  const rows = adopted.map(({ tenantId, row }) => ({ tenantId, row }));
  await perTenant(tx, rows, (of, ofTenant) =>
    tx.prepared(
      sql`update alert t set is_pending = null, retraction_reason = null, block_number = r.block_number,
        block_hash = r.block_hash, block_hash_bytes = r.block_hash_bytes, tx_hash = r.tx_hash,
        tx_hash_bytes = r.tx_hash_bytes, eid = r.eid, eid_rest = r.eid_rest, name = r.name, message = r.message,
        meta = r.meta, tags = r.tags, odd_words = r.odd_words, terms = r.terms
      from json_populate_recordset(null::alert, ${storableJson(of.map(({ row }) => row))}::json) r
      where t.tenant_id = r.tenant_id and t.timestamp = r.timestamp and t.uid = r.uid and ${ofTenant('t')}`,
    ),
  );
  await tx.prepared(
    sql`update pending_alert p set state = 'ADOPTED', block_number = a."blockNumber", block_hash = a."blockHash",
        updated_at = ${now}::bigint
      from json_to_recordset(${storableJson(
        adopted.map(({ row, ...rest }) => ({
          ...rest,
          blockNumber: row.block_number,
        })),
      )}::json) as a("txHash" text, "tenantId" bigint, source text, place text, "blockNumber" bigint, "blockHash" text)
      where p.chain_uid = ${chainUid} and p.tx_hash = a."txHash" and p.tenant_id = a."tenantId"
        and p.source = a.source and p.place = a.place`,
  );
}

/** The intents that pending alerts fired learn the block of their alert. */
export async function setIntentBlocks(
  tx: Db,
  alerts: readonly { tenantId: number; uid: string; blockNumber: number | null }[],
): Promise<void> {
  await tx.prepared(
    sql`update action_intent i set block_number = a.number, unwanted_at = null
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[],
        ${alerts.map(({ blockNumber }) => blockNumber)}::bigint[]) a(tenant_id, uid, number)
      where i.tenant_id = a.tenant_id and i.alert_uid = a.uid`,
  );
}

/** An alert whose block shows nothing of the kind, now that all of it was evaluated. */
export type UnfulfilledAlert = {
  tenantId: number;
  contractId: number;
  uid: string;
  timestamp: number;
  txHash: string;
  source: string;
  place: string;
  incidentUid: string | null;
  blockNumber: number;
  blockHash: string;
  /** No one can say whether the block shows it, because its traces are not evaluated. */
  isUnseen: boolean;
  /** An action was signed because of it. */
  hasFired: boolean;
};

const isEvaluated = raw(`not exists (select from untraced_block u where u.chain_uid = p.chain_uid
    and u.number = p.block_number)
  and not exists (select from deferred_evaluation d where d.chain_uid = p.chain_uid and d.number = p.block_number
    and d.kind || ' ' || d.id = p.source)`);

/** Of these tenants, if given. */
export async function holdUnfulfilled(
  tx: Db,
  chainUid: string,
  limit: number,
  tenantIds?: readonly number[],
): Promise<UnfulfilledAlert[]> {
  const ofTenants = tenantIds ? sql`p.tenant_id = any(${tenantIds}::bigint[])` : raw('true');
  const shown = sql`t.contract_id as "contractId", ${incidentUidSql}::text as "incidentUid"`;
  const held = raw(`p.tenant_id as "tenantId", p.alert_uid::text as uid,
        p.alert_timestamp as timestamp, p.tx_hash as "txHash", p.source, p.place, p.block_number as "blockNumber",
        p.block_hash as "blockHash", p.needs_trace and (not p.is_traced or exists (select from unseen_block u
          where u.chain_uid = p.chain_uid and u.number = p.block_number)) as "isUnseen",
        exists (select from action_intent i where i.tenant_id = p.tenant_id and i.alert_uid = p.alert_uid
          and i.signed_at is not null) as "hasFired"`);
  const first = sql`where p.chain_uid = ${chainUid} and p.state = 'MINED' and ${ofTenants} and ${isEvaluated}
      order by p.tenant_id, p.alert_uid limit ${limit} for update of p`;
  if (await tx.isDistributed()) {
    const rows = await tx.prepared<UnfulfilledAlert>(sql`select ${held} from pending_alert p ${first}`);
    const alerts = await readOnWorkers<Pick<UnfulfilledAlert, 'uid' | 'contractId' | 'incidentUid'>>(
      tx,
      rows,
      shown,
    );
    return rows.flatMap((row) =>
      alerts.flatMap((alert) => (alert.uid === row.uid ? [{ ...row, ...alert }] : [])),
    );
  }
  return tx.prepared<UnfulfilledAlert>(
    sql`select ${held}, ${shown} from pending_alert p
      join alert t on t.tenant_id = p.tenant_id and t.timestamp = p.alert_timestamp
        and t.uid = p.alert_uid ${first}`,
  );
}

/** The tenants with alerts whose block is known. */
export async function findMinedTenants(db: Db, chainUid: string): Promise<number[]> {
  const rows = await db.prepared<{ tenantId: number }>(
    sql`select distinct tenant_id as "tenantId" from pending_alert where chain_uid = ${chainUid} and state = 'MINED'`,
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** Alerts as the findings that they were raised for. */
export async function readFindings(tx: Db, all: readonly AlertKey[]): Promise<Finding[]> {
  return perTenant(tx, all, (alerts, ofTenant) =>
    tx.prepared<Finding>(
      sql`select t.tenant_id as "tenantId", t.project_id as "projectId", t.contract_id as "contractId", t.kind,
        t.alert_group as "group", ${severitySql('t.numeric_severity')} as severity, t.timestamp, t.uid::text as key,
        t.uid::text as uid, ${eidSql} as eid, t.name, t.message, t.meta, t.tags,
        ${txHashSql} as "txHash", t.chain_uid as "chainUid",
        t.detector_id as "detectorId", t.detector_schema_name as "detectorSchemaName", t.suppressed
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[],
        ${alerts.map(({ timestamp }) => timestamp)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[])
        k(tenant_id, timestamp, uid)
      join alert t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid
        and ${ofTenant('t')}`,
    ),
  );
}

type AlertKey = { tenantId: number; uid: string; timestamp: number };

/** The alerts of pending transactions, which are about to be retracted. */
export async function markGone(
  tx: Db,
  chainUid: string,
  hashes: readonly string[],
  now: number,
): Promise<(AlertKey & { txHash: string })[]> {
  return tx.prepared(
    sql`update pending_alert set state = 'GONE', updated_at = ${now}::bigint
      where chain_uid = ${chainUid} and tx_hash = any(${hashes}::text[]) and state = 'PENDING'
      returning tenant_id as "tenantId", alert_uid::text as uid, alert_timestamp as timestamp, tx_hash as "txHash"`,
  );
}

export async function markUnfulfilledGone(
  tx: Db,
  chainUid: string,
  alerts: readonly AlertKey[],
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`update pending_alert p set state = 'GONE', updated_at = ${now}::bigint
      from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[], ${alerts.map(({ uid }) => uid)}::uuid[])
        a(tenant_id, uid)
      where p.chain_uid = ${chainUid} and p.tenant_id = a.tenant_id and p.alert_uid = a.uid and p.state = 'MINED'`,
  );
}

/** Transactions of blocks above this one are pending again; alerts that these blocks showed are retracted with them. */
export async function unmineAbove(tx: Db, chainUid: string, height: number, now: number): Promise<void> {
  await tx.prepared(
    sql`update pending_alert set state = case state when 'MINED' then 'PENDING' else 'GONE' end, block_number = null,
        block_hash = null, updated_at = ${now}::bigint
      where chain_uid = ${chainUid} and state in ('MINED', 'ADOPTED') and block_number > ${height}`,
  );
}

/** The same for alerts that became those of dropped blocks after the chain went on. */
export async function unmineDropped(
  tx: Db,
  chainUid: string,
  blocks: readonly BlockRef[],
  tenantIds: readonly number[],
  now: number,
): Promise<void> {
  await tx.prepared(
    sql`update pending_alert p set state = 'GONE', block_number = null, block_hash = null, updated_at = ${now}::bigint
      from unnest(${blocks.map(({ number }) => number)}::bigint[], ${blocks.map(({ hash }) => hash)}::text[])
        b(number, hash)
      where p.chain_uid = ${chainUid} and p.state = 'ADOPTED' and p.block_number = b.number and p.block_hash = b.hash
        and p.tenant_id = any(${tenantIds}::bigint[])`,
  );
}

const keptGoneMs = 86_400_000;

/** Forgets what no block can show again. */
export async function purgePending(db: Db, chainUid: string, now: number): Promise<void> {
  await db.prepared(
    sql`delete from pending_alert p where p.chain_uid = ${chainUid} and (
        p.state = 'ADOPTED' and p.block_number <= (select final from chain_cursor k where k.chain_uid = p.chain_uid)
        or p.state = 'GONE' and p.updated_at < ${now - keptGoneMs}::bigint)`,
  );
}
