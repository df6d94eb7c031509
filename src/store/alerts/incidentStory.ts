import { showValue } from '../../lib/showValue.ts';
import { sql } from '../../lib/sql.ts';
import type { IntentState } from '../../model/action.ts';
import type { Db } from '../db/db.ts';
import { alertTable } from '../search/documents/alertTable.ts';
import { belongsTo } from '../search/documents/belongsTo.ts';
import { selectDocument } from '../search/searchDocuments.ts';
import type { IncidentKeyRow } from './incidentTable.ts';

/** Bytes of the evidence of one alert that are read whole, and what is read of larger evidence, as pushed findings may have. */
const maxEvidence = 32 * 1024;
const maxMember = 1024;
const maxMembers = 40;

const boundedMeta = sql`case when octet_length(w.meta::text) <= ${maxEvidence}::integer then w.meta else (
    select coalesce(jsonb_object_agg(m.key, m.value), '{}')
      || jsonb_build_object('notShown', 'Larger members are on the page of the alert.')
    from (select e.key, e.value from jsonb_each(w.meta) e
      where octet_length(e.value::text) <= ${maxMember}::integer and octet_length(e.key) <= 100
      order by e.key limit ${maxMembers}::integer) m) end`;

/** The worst alerts of an incident with these members, retracted ones included. Of large evidence only small members are read. */
export async function findWorstAlerts<Row extends object>(
  db: Db,
  incident: IncidentKeyRow,
  names: readonly string[],
  limit: number,
): Promise<Row[]> {
  return db.query<Row>(
    sql`select w.*, ${boundedMeta} as meta
      from (select ${selectDocument(alertTable, names)} from alert t where ${belongsTo(incident)}
        order by t.numeric_severity desc, t.timestamp, t.uid limit ${limit}) w`,
  );
}

export type StoryDelivery = {
  destinationId: number;
  destinationName: string | null;
  type: string;
  state: string;
  createdAt: number;
  deliveredAt: number | null;
  lastError: string | null;
};

/** The first messages about an incident, in the order in which they were made. Of web addresses, which may hold keys, only the host. */
export async function findIncidentDeliveries(
  db: Db,
  { tenantId, uid }: IncidentKeyRow,
  limit: number,
): Promise<StoryDelivery[]> {
  return db.query<StoryDelivery>(
    sql`select d.destination_id as "destinationId",
        coalesce(x.name, case when x.type = 'EMAIL' then x.value end, x.messenger_a_chat_title,
          x.messenger_b_channel_name, substring(x.value from '^https?://(?:[^/?#]*@)?([^/?#:@]+)'))
          as "destinationName",
        d.type, d.state, d.created_at as "createdAt", d.delivered_at as "deliveredAt", d.last_error as "lastError"
      from delivery d left join destination x on x.tenant_id = d.tenant_id and x.id = d.destination_id
      where d.tenant_id = ${tenantId} and d.incident_uid = ${uid}::uuid order by d.id limit ${limit}`,
  );
}

export type StoryIntent = {
  uid: string;
  actionId: number;
  actionName: string;
  alertUid: string | null;
  state: IntentState;
  reason: string | null;
  chainUid: string;
  txHash: string | null;
  minedBlock: number | null;
  createdAt: number;
  updatedAt: number;
};

/** The first calls that these alerts fired. */
export async function findFiredIntents(
  db: Db,
  tenantId: number,
  alertUids: readonly string[],
  limit: number,
): Promise<StoryIntent[]> {
  if (alertUids.length === 0) return [];
  return db.query<StoryIntent>(
    sql`select i.uid::text, i.action_id as "actionId", x.name as "actionName", i.alert_uid::text as "alertUid", i.state,
        i.reason, i.chain_uid as "chainUid", i.tx_hash as "txHash", i.mined_block as "minedBlock",
        i.created_at as "createdAt", i.updated_at as "updatedAt"
      from action_intent i join action x on x.tenant_id = i.tenant_id and x.id = i.action_id
      where i.tenant_id = ${tenantId} and i.alert_uid = any(${alertUids}::uuid[]) order by i.id limit ${limit}`,
  );
}

export type StoryComment = { at: number; author: string; text: string };

/** Notes of people about these alerts, oldest first. */
export async function findIncidentComments(
  db: Db,
  tenantId: number,
  alertUids: readonly string[],
  limit: number,
): Promise<StoryComment[]> {
  if (alertUids.length === 0) return [];
  return db.query<StoryComment>(
    sql`select o.created_at as at, o.author, o.text from alert_comment o
      where o.tenant_id = ${tenantId} and o.alert_uid = any(${alertUids}::uuid[]) order by o.id limit ${limit}`,
  );
}

export type StoryChange = { at: number; verb: string; by: string; text: string | null };

/** Entries of the audit log about incidents that are looked through: the newest of the tenant. */
const maxEntries = 2000;

/** Changes of an incident by people, oldest first, from the audit log. */
export async function findIncidentChanges(
  db: Db,
  { tenantId, uid, firstAt }: IncidentKeyRow,
  limit: number,
): Promise<StoryChange[]> {
  const rows = await db.query<{ at: number; action: string; entry: string; by: string | null }>(
    sql`select e.at, e.action, e.entry, coalesce(m.name, m.email) as by
      from (select at, action, entry from audit_entry
          where chain = ${tenantId} and record_kind = 'incident' and record_id is null and at >= ${firstAt}
          order by seq desc limit ${maxEntries}) e
      left join member m on m.id = (e.entry::json -> 'actor' ->> 'userId')::bigint
      where strpos(e.entry, ${uid}) > 0 order by e.at limit ${limit}`,
  );
  return rows.map(({ at, action, entry, by }) => ({
    at,
    verb: action.split('.')[1] ?? action,
    by: by ?? 'a key or link',
    text: toText(entry),
  }));
}

/** The changed members that people set, as `status: RESOLVED`. */
function toText(entry: string): string | null {
  const { changes = {} } = JSON.parse(entry) as { changes?: Record<string, unknown> };
  const parts = shownMembers.flatMap((name) => {
    const change = changes[name];
    if (name === 'note' && typeof change === 'string') return [change];
    if (typeof change !== 'object' || change === null || !('after' in change)) return [];
    return change.after === null || change.after === undefined ? [] : [`${name}: ${showValue(change.after)}`];
  });
  return parts.length === 0 ? null : parts.join(', ').slice(0, 1000);
}

const shownMembers = ['status', 'disposition', 'dispositionReason', 'assigneeId', 'note'];

export type PreparedAction = {
  id: number;
  name: string;
  funcSignature: string;
  contractId: number;
  walletId: number;
};

/** Active actions of these contracts. */
export async function findPreparedActions(
  db: Db,
  tenantId: number,
  contractIds: readonly number[],
  limit: number,
): Promise<PreparedAction[]> {
  return db.query<PreparedAction>(
    sql`select x.id, x.name, x.func_signature as "funcSignature", x.contract_id as "contractId",
        x.wallet_id as "walletId"
      from action x where x.tenant_id = ${tenantId} and x.contract_id = any(${contractIds}::bigint[])
        and x.status = 'ACTIVE' order by x.id limit ${limit}`,
  );
}

export type IncidentContract = {
  id: number;
  name: string;
  address: string;
  chainUid: string;
  projectId: number;
};

/** The contracts of an incident, with their canonical addresses. */
export async function findIncidentContracts(
  db: Db,
  { tenantId }: Pick<IncidentKeyRow, 'tenantId'>,
  ids: readonly number[],
): Promise<IncidentContract[]> {
  return db.query<IncidentContract>(
    sql`select c.id, c.name, c.canonical_address as address, c.chain_uid as "chainUid", c.project_id as "projectId"
      from contract c where c.tenant_id = ${tenantId} and c.id = any(${ids}::bigint[]) order by c.id`,
  );
}
