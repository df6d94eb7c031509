import { raw, type Sql, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';
import { sendLater } from '../db/sendLater.ts';
import { perShard } from '../db/shards/perShard.ts';
import { type AlertRow, alertColumns, selectRows } from '../search/documents/alertColumns.ts';
import { incidentUidSql } from '../search/documents/incidentUidSql.ts';
import { addAlertsToRollups, addToRollups, type CountedAlert } from '../search/rollups/rollups.ts';
import { insertWords, maxNewWords, type Word, wordParts } from '../search/terms/alertWords.ts';
import { insertAlertEvents, publish } from './alertEvents.ts';

type InsertedAlert = {
  uid: string;
  isResolved: boolean;
  incidentUid: string | null;
  beginsIncident: boolean;
};

type Inserted = {
  alerts: InsertedAlert[];
  /**
   * Adds them to the roll-ups of their contracts and tenants, for which all who raise alerts of a tenant wait: the last thing in a
   * transaction.
   */
  count: () => Promise<void>;
};

/**
 * Inserts the missing alerts with their stream events and returns them. A retracted alert is restored when its block
 * returns, with an incident row that counts it. `words` are new to the dictionary.
 */
export async function insertAlerts(
  tx: Db,
  rows: readonly AlertRow[],
  words: readonly Word[] = [],
): Promise<Inserted> {
  if (rows.length === 0) return { alerts: [], count: async () => {} };
  if (await tx.isDistributed())
    return { alerts: await insertOnWorkers(tx, rows, words), count: async () => {} };
  await insertWords(tx, words);
  const alerts = await tx.prepared<InsertedAlert & CountedAlert>(
    sql`with inserted as (${insert(rows)}
        returning t.uid, t.tenant_id, t.contract_id, t.timestamp, t.alert_group, t.numeric_severity, t.is_resolved,
          ${incidentUidSql} as incident_uid, t.incident_at),
      published as (${publish(raw('inserted'), 'raised')})
      select uid, is_resolved as "isResolved", incident_uid as "incidentUid",
        incident_at is not null as "beginsIncident", tenant_id as "tenantId", contract_id as "contractId", timestamp,
        alert_group as "group", numeric_severity as "numericSeverity"
      from inserted`,
  );
  return {
    alerts,
    count: async () => {
      if (alerts.length > 0) await sendLater(tx, addAlertsToRollups(alerts, 1));
    },
  };
}

function insert(rows: readonly AlertRow[]): Sql {
  return sql`insert into alert as t (${alertColumns}) ${selectRows(rows)}
    on conflict (tenant_id, timestamp, uid) do update set retracted_at = null, retraction_reason = null,
      incident_uid = ${incidentUidSql}, incident_at = null
      where t.retracted_at is not null`;
}

/** Shard by shard, and returned in the order of the rows. */
async function insertOnWorkers(
  tx: Db,
  rows: readonly AlertRow[],
  words: readonly Word[],
): Promise<InsertedAlert[]> {
  // In the same statement, because each costs a way to the worker.
  const areBeside = words.length <= maxNewWords && (await tx.isDistributed('alert_word'));
  if (!areBeside) await insertWords(tx, words);
  const inserted = await perShard<AlertRow | Word, ShardRow>(
    tx,
    areBeside ? [...rows, ...words] : rows,
    (item) => (isWord(item) ? item.tenantId : Number(item.tenant_id)),
    (items) => {
      const tenantRows = items.filter(isRow);
      const ownWords = items.filter(isWord);
      const added = ownWords.length > 0 ? sql`, ${wordParts(ownWords)}` : raw('');
      return sql`with inserted as (${insert(tenantRows)}
          returning t.uid, t.tenant_id, t.contract_id, t.timestamp, t.alert_group, t.numeric_severity, t.is_resolved,
            ${incidentUidSql} as incident_uid, t.incident_at),
        counted as (${addToRollups(raw('inserted'), 1)})${added}
        select json_build_object('uid', uid, 'tenantId', tenant_id, 'isResolved', is_resolved,
          'incidentUid', incident_uid, 'beginsIncident', incident_at is not null)::text as shard_row from inserted`;
    },
  );
  const places = new Map(rows.map(({ uid }, index) => [uid, index]));
  inserted.sort((a, b) => (places.get(a.uid) ?? 0) - (places.get(b.uid) ?? 0));
  await insertAlertEvents(tx, 'raised', inserted);
  return inserted;
}

const isRow = (item: AlertRow | Word): item is AlertRow => 'tenant_id' in item;
const isWord = (item: AlertRow | Word): item is Word => !isRow(item);

type ShardRow = InsertedAlert & { tenantId: number };
