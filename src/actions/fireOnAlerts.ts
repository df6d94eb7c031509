import { blindSpot, isShadow, type RaisedAlert } from '../model/alert.ts';
import { cancelRetracted } from '../store/actions/cancelIntents.ts';
import { findFiring, insertIntents } from '../store/actions/insertIntents.ts';
import type { Db } from '../store/db/db.ts';

/**
 * Writes the intents of new alerts in their transaction. Shadow alerts and ends of conditions fire nothing. Rate limits
 * do not apply, because an attacker's flood of alerts must not disarm the actions.
 */
export function createFireOnAlerts({ now }: { now: () => number }) {
  return async (tx: Db, raised: readonly RaisedAlert[]) => {
    const alerts = raised.flatMap(({ finding, uid }) => {
      const { tenantId, timestamp, severity, kind, meta, backfilled = false } = finding;
      if (finding.isEnd) return [];
      if (isShadow(finding) || kind === 'action' || finding.detectorSchemaName === blindSpot) return [];
      const triggerAlertId = typeof meta.triggerAlertId === 'number' ? meta.triggerAlertId : null;
      const detectorId = finding.detectorId ?? null;
      const blockNumber = finding.blockNumber ?? null;
      const chainUid = finding.chainUid ?? null;
      const txHash = finding.txHash ?? null;
      const isPending = finding.isPending ?? false;
      const source = { chainUid, blockNumber, txHash, isPending, detectorId, triggerAlertId };
      return [{ uid, tenantId, timestamp, severity, backfilled, ...source }];
    });
    const firing = alerts.length > 0 ? await findFiring(tx, alerts) : [];
    return firing.length > 0 ? () => insertIntents(tx, firing, now()) : undefined;
  };
}

/** Cancels unsigned intents of retracted alerts, in the transaction of the retraction. */
export function createCancelOnRetractions({ now }: { now: () => number }) {
  return async (
    tx: Db,
    retracted: readonly { tenantId: number; uid: string; reason?: string }[],
  ): Promise<void> => {
    if (retracted.length > 0) await cancelRetracted(tx, retracted, now());
  };
}
