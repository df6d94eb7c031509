import { sql } from '../../lib/sql.ts';
import { chainUids } from '../../model/chainUid.ts';
import { severities } from '../../model/enumerations.ts';
import type { Scope } from '../../model/principal.ts';
import { Count, Id, List, Millis, OneOf, Text } from '../../model/schema.ts';
import type { Db } from '../db.ts';
import { selectDocument } from '../documents/searchDocuments.ts';
import { readOnly } from '../fields.ts';
import { selectList } from '../members.ts';
import { idField, timeFields } from '../records/commonFields.ts';
import type { Row } from '../records/records.ts';
import { byTenant, defineTable, shownNames } from '../table.ts';
import { alertTable, severityExpression } from './alertTable.ts';

export const incidentStatuses = ['UNRESOLVED', 'RESOLVED', 'RETRACTED'] as const;

const set = { notNull: true } as const;

/** Incidents are read and searched like records; their alerts make them. */
export const incidentTable = defineTable({
  kind: 'incident',
  name: 'incident',
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
    chainUid: readOnly(OneOf(chainUids, 'The chain.', 'ethereum')),
    contractIds: readOnly(List(Id('A contract.'), 'The contracts of its alerts, at most 100.'), set),
    txHashes: readOnly(List(Text('A transaction.', '0x5c50'), 'Their transactions, at most 100.'), set),
    firstAt: readOnly(Millis('When its first alert happened.'), set),
    lastAt: readOnly(Millis('When its newest alert happened.'), set),
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
  const from = sql`from incident t where t.uid = ${uid}::uuid and ${incidentTable.visible(scope)}`;
  if (lock) await db.prepared(sql`select 1 ${from} for update of t`);
  const rows = await db.prepared<IncidentKeyRow>(
    sql`select ${selectList(incidentTable, incidentNames)} ${from}`,
  );
  return rows[0];
}

/** A condition on alerts as `t`. The bounds keep it to the partitions and the part of the index that can have any. */
export function belongsTo({ tenantId, uid, firstAt, lastAt }: IncidentKeyRow) {
  return sql`t.tenant_id = ${tenantId} and t.timestamp between ${firstAt} and ${lastAt}
    and t.incident_uid = ${uid}::uuid`;
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
