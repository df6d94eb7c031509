import { raw, render, type Sql, sql } from '../../lib/sql.ts';
import { uidTime } from '../../lib/uid.ts';
import { severities } from '../../model/enumerations.ts';
import type { Scope } from '../../model/principal.ts';
import { Count, Flag, Id, List, Millis, OneChain, OneOf, Text } from '../../model/schema.ts';
import type { Db } from '../db/db.ts';
import { type ExportSource, exportLimit } from '../db/exportPage.ts';
import {
  compileRecordSearch,
  queryInTime,
  type Row,
  type Search,
  searchRecords,
} from '../records/records.ts';
import { acknowledgedExpression, alertTable, severityExpression } from '../search/documents/alertTable.ts';
import { belongsTo } from '../search/documents/belongsTo.ts';
import { type DocumentKey, exportKeys } from '../search/exportDocuments.ts';
import { selectDocument } from '../search/searchDocuments.ts';
import { idField, timeFields } from '../tables/commonFields.ts';
import { readOnly } from '../tables/fields.ts';
import { selectList } from '../tables/members.ts';
import { byTenant, defineTable, shownNames } from '../tables/table.ts';
import { allIncidents, incidentsWhere } from './loneIncidents.ts';

/** An attack or a real fault; harmless; expected; made by a test. */
export const dispositions = ['TRUE', 'BENIGN', 'KNOWN', 'TEST'] as const;

export const incidentStatuses = ['UNRESOLVED', 'RESOLVED', 'RETRACTED'] as const;

const set = { notNull: true } as const;

/** Incidents are read and searched like records; their alerts make them. */
export const incidentTable = defineTable({
  kind: 'incident',
  // Read-only, so that it need not be the name of a table.
  name: render(allIncidents).text,
  fields: {
    uid: readOnly(Text('Unique identifier of the incident.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'), {
      ...set,
      as: (t: string) => `${t}.uid::text`,
    }),
    id: idField,
    tenantId: readOnly(Id('The owning tenant.'), set),
    severity: readOnly(OneOf(severities, 'The highest severity of its alerts.', 'CRITICAL'), {
      ...set,
      as: (t: string) => severityExpression(`${t}.numeric_severity`),
    }),
    numericSeverity: readOnly(Count('INFO 10, LOW 30, MEDIUM 50, HIGH 70, CRITICAL 90.', 90), set),
    status: readOnly(
      OneOf(
        incidentStatuses,
        'RESOLVED when all its alerts are, RETRACTED when none of their blocks is part of the chain any more.',
        'UNRESOLVED',
      ),
      set,
    ),
    name: readOnly(Text('Name of its worst alert.', 'Proxy upgraded'), set),
    message: readOnly(Text('Message of its worst alert.', 'The implementation is now 0xf39F…2266.'), set),
    alerts: readOnly(Count('How many alerts it has that are not retracted.', 4), set),
    openAlerts: readOnly(Count('How many of them are not resolved.', 4), set),
    chainUid: readOnly(OneChain('The chain.')),
    contractIds: readOnly(List(Id('A contract.'), 'The contracts of its alerts, at most 100.'), set),
    txHashes: readOnly(List(Text('A transaction.', '0x5c50'), 'Their transactions, at most 100.'), set),
    firstAt: readOnly(Millis('When its first alert happened.'), set),
    lastAt: readOnly(Millis('When its newest alert happened.'), set),
    acknowledged: readOnly(
      Flag('Whether someone has acknowledged it, and no snooze has ended and no worse alert came since.'),
      { ...set, as: acknowledgedExpression },
    ),
    acknowledgedAt: readOnly(Millis('When that was.')),
    acknowledgedBy: readOnly(Text('Who did it, by name.', 'Alice')),
    acknowledgedById: readOnly(Id('The user who did it; null for an API key or a mailed link.')),
    acknowledgedUntil: readOnly(Millis('Until when it is snoozed; null where it is not.')),
    assigneeId: readOnly(Id('The user who owns it.')),
    disposition: readOnly(
      OneOf(dispositions, 'What it turned out to be; null while no one has judged.', 'TRUE'),
    ),
    dispositionReason: readOnly(Text('Why.', 'The keys were moved as planned.')),
    ...timeFields,
  },
  visible: byTenant,
  writable: byTenant,
});

export const incidentNames = shownNames(incidentTable.fields);

export type IncidentKeyRow = Row & { uid: string; tenantId: number; firstAt: number; lastAt: number };

export async function findIncident(
  db: Db,
  scope: Scope,
  uid: string,
  lock = false,
): Promise<IncidentKeyRow | undefined> {
  const timestamp = uidTime(uid.toLowerCase()) ?? 0;
  const filterSql = sql`where t.uid = ${uid}::uuid and ${incidentTable.visible(scope)}`;
  const incident = await readIncident(db, filterSql, timestamp);
  if (!incident || !lock) return incident;
  // Only a statement that names the tenant can lock, because it is sent to one worker.
  const one = sql`where t.tenant_id = ${incident.tenantId} and t.uid = ${uid}::uuid`;
  // An incident that is only an alert so far is locked by that: another one that joins it has to wait.
  await db.prepared(sql`select 1 from alert t ${one} and t.timestamp = ${timestamp} for no key update of t`);
  await db.prepared(sql`select 1 from incident t ${one} for update of t`);
  return readIncident(db, one, timestamp);
}

async function readIncident(db: Db, filterSql: Sql, timestamp: number): Promise<IncidentKeyRow | undefined> {
  const rows = await db.prepared<IncidentKeyRow>(
    sql`select ${selectList(incidentTable, incidentNames)}
      from ${incidentsWhere(filterSql, sql`${filterSql} and t.last_at = ${timestamp}`)} t`,
  );
  return rows[0];
}

/** The row of the incident is there. */
export async function assignIncident(
  tx: Db,
  { tenantId, uid }: IncidentKeyRow,
  assigneeId: number | null,
  now: number,
): Promise<void> {
  await tx.query(
    sql`update incident i set assignee_id = ${assigneeId}::bigint, updated_at = ${now}
      where i.tenant_id = ${tenantId} and i.uid = ${uid}::uuid`,
  );
}

/** The first alerts of an incident in the order in which they happened, retracted ones included. */
export async function findIncidentAlerts(
  db: Db,
  incident: IncidentKeyRow,
  names: readonly string[],
  limit: number,
): Promise<Row[]> {
  return db.query<Row>(
    sql`select ${selectDocument(alertTable, names)} from alert t where ${belongsTo(incident)}
      order by t.timestamp, t.uid limit ${limit}`,
  );
}

/** The alert of an incident that a person should hear of: the worst open one, and of these the newest. */
export async function findWorstOpenAlert(
  db: Db,
  incident: IncidentKeyRow,
): Promise<{ uid: string; detectorSchemaName: string | null } | undefined> {
  const rows = await db.query<{ uid: string; detectorSchemaName: string | null }>(
    sql`select t.uid::text, t.detector_schema_name as "detectorSchemaName"
      from alert t where ${belongsTo(incident)} and t.retracted_at is null and not t.is_resolved
      order by t.numeric_severity desc, t.timestamp desc, t.uid limit 1`,
  );
  return rows[0];
}

const newestFirst = [{ field: 'lastAt', order: 'desc' }] as const;

/** As `searchRecords`; the one with the newest alert comes first unless `sort` says otherwise. */
export async function searchIncidents(
  db: Db,
  scope: Scope,
  search: Search,
): Promise<{ data: Row[]; total?: number }> {
  if (search.sort) return searchRecords(db, incidentTable, scope, search, incidentNames);
  const { filter } = compileRecordSearch(incidentTable, scope, search);
  const { from = 0, size = 10 } = search;
  const order = raw('order by t.last_at desc, t.id');
  const total = search.trackTotal
    ? {
        total:
          (await searchRecords(db, incidentTable, scope, { ...search, size: 0 }, incidentNames)).total ?? 0,
      }
    : {};
  // A worker merges the tenants that it has.
  if (await db.isDistributed()) {
    const sorted = { ...search, sort: newestFirst };
    return { data: (await searchRecords(db, incidentTable, scope, sorted, incidentNames)).data, ...total };
  }
  // Tenant by tenant, because only then an index returns them in this order.
  const newest = incidentsWhere(sql`where t.tenant_id = n.id and ${filter} ${order} limit ${from + size}`);
  const tenants = scope.all ? sql`tenant n` : sql`unnest(${scope.tenantIds}::bigint[]) n(id)`;
  const data = await queryInTime<Row>(
    db,
    sql`select ${selectList(incidentTable, incidentNames)} from ${tenants} cross join lateral ${newest} t
      ${order} limit ${size} offset ${from}`,
  );
  return { data, ...total };
}

/** All incidents that a search finds, with these members. */
export async function exportIncidents(
  db: Db,
  scope: Scope,
  search: Search,
  names: readonly string[],
): Promise<ExportSource> {
  const { filter, order } = compileRecordSearch(incidentTable, scope, { sort: newestFirst, ...search });
  const keys = await queryInTime<DocumentKey>(
    db,
    sql`select t.tenant_id as "tenantId", t.uid::text from ${allIncidents} t where ${filter}
      order by ${order} limit ${exportLimit(search.size)} offset ${search.from ?? 0}`,
  );
  const json = sql`(select row_to_json(r)::text from (select ${selectList(incidentTable, names)}) r) as json`;
  if (await db.isDistributed())
    return exportKeys(
      db,
      keys,
      ({ tenantIds, uids }) =>
        sql`select array_position(${uids}::uuid[], t.uid) as n, ${json} from ${allIncidents} t
          where t.tenant_id = any(${[...new Set(tenantIds)]}::bigint[]) and t.uid = any(${uids}::uuid[]) and ${filter}`,
    );
  return exportKeys(db, keys, ({ tenantIds, uids, times }) => {
    const filterSql = sql`where t.tenant_id = k.tenant_id and t.uid = k.uid and ${filter}`;
    return sql`select k.n, ${json}
      from unnest(${tenantIds}::bigint[], ${uids}::uuid[], ${times}::bigint[]) with ordinality
        k(tenant_id, uid, timestamp, n)
      cross join lateral ${incidentsWhere(filterSql, sql`${filterSql} and t.last_at = k.timestamp`)} t`;
  });
}
