import { insertAlertEvents } from '../store/alerts/alertEvents.ts';
import { recountIncidents } from '../store/alerts/incidents.ts';
import { type Block, type RetractedAlert, retractAlerts } from '../store/alerts/retractAlerts.ts';
import type { Db } from '../store/db.ts';

/** Writes the rows that belong to a retraction, such as notices, in its transaction; gets only what was not retracted before. */
export type RetractionHook = (tx: Db, retracted: readonly RetractedAlert[]) => Promise<void>;

/** The only way to retract alerts: takes back what was found in blocks that a reorganisation dropped. Idempotent. */
export async function retractBlocks(
  tx: Db,
  dropped: { chainUid: string; blocks: readonly Block[]; now: number },
  hooks: readonly RetractionHook[] = [],
): Promise<RetractedAlert[]> {
  const retracted = await retractAlerts(tx, dropped.chainUid, dropped.blocks, dropped.now);
  await recountIncidents(tx, incidentsOf(retracted), dropped.now);
  await insertAlertEvents(tx, 'retracted', retracted);
  for (const hook of hooks) await hook(tx, retracted);
  return retracted;
}

function incidentsOf(retracted: readonly RetractedAlert[]) {
  const found = new Map<string, { tenantId: number; uid: string }>();
  for (const { tenantId, incidentUid: uid } of retracted)
    if (uid) found.set(`${tenantId} ${uid}`, { tenantId, uid });
  return [...found.values()];
}
