import type { AlertWrite } from '../model/alertWrite.ts';
import type { Db } from '../store/db/db.ts';
import { unmineDropped } from '../store/watch/pendingAlerts.ts';
import { adoptPending } from './adoptPending.ts';
import { limitRate } from './limitRate.ts';
import { applyPlanned } from './planned/applyPlanned.ts';
import { type AlertHook, raiseAlerts } from './raiseAlerts.ts';
import { type RetractionHook, retractBlocks, retractPending } from './retractBlocks.ts';

export type WriteHooks = {
  alertHooks: readonly AlertHook[];
  /** Run when a block has what was raised while it was pending. */
  minedHooks: readonly AlertHook[];
  retractionHooks: readonly RetractionHook[];
};

/** Carries out what a step of a chain does to alerts. `at`: when the chain took the step. */
export async function applyWrite(
  tx: Db,
  { alertHooks, minedHooks, retractionHooks }: WriteHooks,
  { chainUid, at }: { chainUid: string; at: number },
  write: AlertWrite,
): Promise<void> {
  if (write.type === 'retractBlocks') {
    const { blocks, tenantIds } = write;
    await retractBlocks(tx, { chainUid, blocks, ...(tenantIds && { tenantIds }), now: at }, retractionHooks);
    if (tenantIds) await unmineDropped(tx, chainUid, blocks, tenantIds, at);
    return;
  }
  if (write.type === 'retractPending') {
    await retractPending(tx, { alerts: write.alerts, reason: write.reason, now: at }, retractionHooks);
    return;
  }
  const { of, findings } = write;
  if (findings.length === 0) return;
  const judged = of === 'notices' ? findings : await applyPlanned(tx, findings);
  const unraised = of === 'blocks' ? await adoptPending(tx, chainUid, judged, minedHooks, at) : judged;
  const limited = await limitRate(tx, of === 'notices' ? [] : unraised, at);
  await raiseAlerts(tx, of === 'notices' ? unraised : limited.findings, alertHooks);
  await limited.count();
}
