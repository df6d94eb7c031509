import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { Message } from '../../model/notification.ts';
import type { Db, Store } from '../db/db.ts';
import { restoreMessages } from './archivedMessages.ts';
import { messageData } from './claimDeliveries.ts';

type Key = { tenantId: number; destinationId: number; incidentUid: string };

/** The newest message about an incident at a destination. */
export type IncidentMessage = Key & {
  /** Id of the message at its channel. */
  ref: string;
  /** The worst that it says. */
  numericSeverity: number;
};

export async function findIncidentMessages(db: Db, keys: readonly Key[]): Promise<IncidentMessage[]> {
  if (keys.length === 0) return [];
  return db.prepared<IncidentMessage>(
    sql`select m.tenant_id as "tenantId", m.destination_id as "destinationId", m.incident_uid::text as "incidentUid",
        m.ref, m.numeric_severity as "numericSeverity"
      from unnest(${keys.map(({ tenantId }) => tenantId)}::bigint[],
        ${keys.map(({ incidentUid }) => incidentUid)}::uuid[],
        ${keys.map(({ destinationId }) => destinationId)}::bigint[]) k(tenant_id, incident_uid, destination_id)
      join incident_message m using (tenant_id, incident_uid, destination_id)`,
  );
}

export async function saveIncidentMessages(
  tx: Db,
  sent: readonly IncidentMessage[],
  now: number,
): Promise<void> {
  if (sent.length === 0) return;
  const rows = sent.map((item) => ({
    tenant_id: item.tenantId,
    incident_uid: item.incidentUid,
    destination_id: item.destinationId,
    ref: item.ref,
    numeric_severity: item.numericSeverity,
  }));
  await tx.prepared(
    sql`insert into incident_message as m (tenant_id, incident_uid, destination_id, ref, numeric_severity, sent_at)
      select r.tenant_id, r.incident_uid, r.destination_id, max(r.ref), max(r.numeric_severity), ${now}
      from json_to_recordset(${storableJson(rows)}::json)
        as r(tenant_id bigint, incident_uid uuid, destination_id bigint, ref text, numeric_severity smallint)
      group by 1, 2, 3 order by 1, 2, 3
      on conflict (tenant_id, incident_uid, destination_id) do update set ref = excluded.ref,
        numeric_severity = greatest(m.numeric_severity, excluded.numeric_severity), sent_at = excluded.sent_at`,
  );
}

/** The incident as people at the destination know it: the worst alerts, and their number. */
export async function findIncidentStory(store: Store, key: Key, now: number): Promise<IncidentStory> {
  if (!(await store.isDistributed())) return readStory(store, key, now);
  return store.transaction(async (tx) => {
    await restoreMessages(tx, sql`delivery d where ${isOf(key)}`, now);
    return readStory(tx, key, now);
  });
}

type IncidentStory = { messages: Message[]; total: number };

const isOf = ({ tenantId, destinationId, incidentUid }: Key) => sql`d.tenant_id = ${tenantId}
  and d.incident_uid = ${incidentUid}::uuid and d.destination_id = ${destinationId}`;

async function readStory(db: Db, key: Key, now: number): Promise<IncidentStory> {
  const rows = await db.prepared<Message & { total: number }>(
    sql`select d.id as sequence, d.uid::text, d.type, d.created_at as timestamp, d.said as data,
        count(*) over () as total
      from (select d.*, ${messageData} as said from delivery d) d
      where ${isOf(key)} and d.type in ('alert.detector.raised', 'alert.trigger.raised')
        and (d.state = 'DELIVERED' or (d.state = 'PENDING' and d.next_attempt_at <= ${now}))
      order by (d.said->>'numericSeverity')::int desc, d.id desc limit ${maxShown}`,
  );
  return {
    messages: rows.map(({ total: _total, ...message }) => message),
    total: rows[0]?.total ?? 0,
  };
}

const maxShown = 30;
