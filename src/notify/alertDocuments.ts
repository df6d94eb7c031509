import type { RaisedAlert } from '../model/alert.ts';
import type { Db } from '../store/db/db.ts';
import { type AlertDocument, findAlertDocuments } from '../store/destinations/findAlertDocuments.ts';

export type Documents = ReadonlyMap<string, AlertDocument>;

/** Alerts as they are stored, by their uid. */
export async function readDocuments(tx: Db, alerts: readonly RaisedAlert[]): Promise<Documents> {
  const keys = alerts.map(({ finding: { tenantId, timestamp }, uid }) => ({
    tenantId,
    timestamp,
    uid,
  }));
  return new Map((await findAlertDocuments(tx, keys)).map((document) => [document.uid, document]));
}

export function documentOf(documents: Documents, { uid }: RaisedAlert): AlertDocument {
  const document = documents.get(uid);
  if (!document) throw new Error(`The alert ${uid} cannot be read back.`);
  return document;
}
