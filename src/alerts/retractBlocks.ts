import type { RetractionReason } from '../model/alert.ts';
import type { BlockRef } from '../model/block.ts';
import { insertAlertEvents } from '../store/alerts/alertEvents.ts';
import { recountIncidents } from '../store/alerts/incidents.ts';
import { deletePlannedAlerts } from '../store/alerts/plannedChanges.ts';
import {
  type RetractedAlert,
  retractAlerts,
  retractAlertsIn,
  uncountRetracted,
} from '../store/alerts/retractAlerts.ts';
import type { Db } from '../store/db/db.ts';
import { endDecisions } from '../store/destinations/alertDecisions.ts';
import { endAnswered } from '../store/onCall/answers.ts';

/** Writes the rows that belong to a retraction, such as notices, in its transaction; gets only what was not retracted before. */
export type RetractionHook = (tx: Db, retracted: readonly RetractedAlert[]) => Promise<void>;

/** One of the two ways to retract alerts: takes back what was found in blocks that a reorganisation dropped. Idempotent. */
export async function retractBlocks(
  tx: Db,
  dropped: { chainUid: string; blocks: readonly BlockRef[]; tenantIds?: readonly number[]; now: number },
  hooks: readonly RetractionHook[] = [],
): Promise<RetractedAlert[]> {
  const { chainUid, blocks, tenantIds, now } = dropped;
  return follow(tx, await retractAlertsIn(tx, chainUid, blocks, now, tenantIds), now, hooks);
}

/** Takes back what was found in pending transactions that vanished. Idempotent. */
export async function retractPending(
  tx: Db,
  gone: { alerts: Parameters<typeof retractAlerts>[1]; reason: RetractionReason; now: number },
  hooks: readonly RetractionHook[] = [],
): Promise<RetractedAlert[]> {
  const retracted = await retractAlerts(tx, gone.alerts, gone.reason, gone.now);
  return follow(tx, retracted, gone.now, hooks);
}

async function follow(
  tx: Db,
  retracted: RetractedAlert[],
  now: number,
  hooks: readonly RetractionHook[],
): Promise<RetractedAlert[]> {
  await recountIncidents(tx, incidentsOf(retracted), now);
  await endAnswered(tx, retracted, now);
  await insertAlertEvents(tx, 'retracted', retracted);
  await deletePlannedAlerts(tx, retracted);
  await endDecisions(tx, retracted);
  for (const hook of hooks) await hook(tx, retracted);
  await uncountRetracted(tx, retracted);
  return retracted;
}

function incidentsOf(retracted: readonly RetractedAlert[]) {
  const incidents = new Map<string, { tenantId: number; uid: string }>();
  for (const { tenantId, incidentUid: uid } of retracted)
    if (uid) incidents.set(`${tenantId} ${uid}`, { tenantId, uid });
  return [...incidents.values()];
}
