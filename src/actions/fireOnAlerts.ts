import type { Finding } from '../model/alert.ts';
import { cancelRetracted } from '../store/actions/cancelIntents.ts';
import { insertIntents } from '../store/actions/insertIntents.ts';
import type { Db } from '../store/db.ts';

type Raised = { finding: Finding; uid: string };

/** Writes the intents of new alerts, in their own transaction. What is over the rate limit or only tried out fires nothing. */
export function createFireOnAlerts({ now }: { now: () => number }) {
  return async (tx: Db, raised: readonly Raised[]): Promise<void> => {
    const firing = raised.flatMap(({ finding, uid }) => {
      const { tenantId, timestamp, severity, kind, meta } = finding;
      if (finding.suppressed || finding.tags.includes('shadow') || kind === 'action') return [];
      const triggerAlertId = typeof meta.triggerAlertId === 'number' ? meta.triggerAlertId : null;
      const detectorId = finding.detectorId ?? null;
      const blockNumber = finding.blockNumber ?? null;
      return [{ uid, tenantId, timestamp, severity, blockNumber, detectorId, triggerAlertId }];
    });
    if (firing.length > 0) await insertIntents(tx, firing, now());
  };
}

/** What was not signed of retracted alerts is not fired any more, in their own transaction. */
export function createCancelOnRetractions({ now }: { now: () => number }) {
  return async (tx: Db, retracted: readonly { tenantId: number; uid: string }[]): Promise<void> => {
    if (retracted.length > 0) await cancelRetracted(tx, retracted, now());
  };
}
