import { groupBy } from '../lib/groupBy.ts';
import { type Finding, severityOf, toSeverity } from '../model/alert.ts';
import { insertAlertEvents } from '../store/alerts/alertEvents.ts';
import type { Db } from '../store/db/db.ts';
import { renewRollups } from '../store/search/months/renewRollups.ts';
import { alertRow } from '../store/search/terms/alertRow.ts';
import { saveWords } from '../store/search/terms/findingTerms.ts';
import { adoptAlerts, type HeldPending, holdPending, setIntentBlocks } from '../store/watch/pendingAlerts.ts';
import { recordPlanned } from './planned/applyPlanned.ts';
import { type AlertHook, runHooks } from './raiseAlerts.ts';

/** The detector of a finding, as rows of pending alerts name it. */
export function pendingSource({ kind, detectorId, triggerId }: Finding): string {
  return `${kind} ${detectorId ?? triggerId}`;
}

/**
 * Turns alerts of pending transactions into those of the block: same uid, time and severity, counted once. Returns the
 * remaining findings to raise; a retracted alert is raised again with its uid.
 */
export async function adoptPending(
  tx: Db,
  chainUid: string,
  findings: readonly Finding[],
  hooks: readonly AlertHook[],
  now: number,
): Promise<Finding[]> {
  const hashes = new Set(
    findings.flatMap(({ txHash, place: txPosition }) => (txHash && txPosition !== undefined ? [txHash] : [])),
  );
  if (hashes.size === 0) return [...findings];
  const held = await holdPending(tx, chainUid, [...hashes]);
  if (held.length === 0) return [...findings];
  const pairs = pair(findings, held);
  await adopt(tx, chainUid, [...pairs], hooks, now);
  return findings.flatMap((finding) => {
    const alert = pairs.get(finding);
    if (!alert) return [finding];
    return alert.isRetracted ? [withAlert(finding, alert)] : [];
  });
}

type Adoptable = Pick<
  HeldPending,
  'uid' | 'timestamp' | 'txHash' | 'tenantId' | 'source' | 'place' | 'incidentUid' | 'isRetracted'
> & { numericSeverity?: number };

/** Gives each alert what its finding says, and runs the hooks of those that stand. */
export async function adopt(
  tx: Db,
  chainUid: string,
  pairs: readonly (readonly [Finding, Adoptable])[],
  hooks: readonly AlertHook[],
  now: number,
): Promise<void> {
  if (pairs.length === 0) return;
  const settled = pairs.map(([finding, alert]) => ({ finding: withAlert(finding, alert), alert }));
  await saveWords(
    tx,
    settled.map(({ finding }) => finding),
  );
  const adopted = [];
  for (const { finding, alert } of settled) {
    const { txHash, tenantId, source, place: txPosition, uid, incidentUid } = alert;
    const row = await alertRow(finding, uid, incidentUid ?? undefined);
    adopted.push({ txHash, tenantId, source, place: txPosition, row, blockHash: finding.blockHash ?? null });
  }
  await adoptAlerts(tx, chainUid, adopted, now);
  await renewRollups(
    tx,
    settled.map(({ finding }) => finding),
    now,
  );
  const standing = settled.filter(({ alert }) => !alert.isRetracted);
  await setIntentBlocks(
    tx,
    standing.map(({ finding: { tenantId, blockNumber = null }, alert: { uid } }) => ({
      tenantId,
      uid,
      blockNumber,
    })),
  );
  await insertAlertEvents(
    tx,
    'changed',
    standing.map(({ finding: { tenantId, contractId, timestamp }, alert: { uid } }) => ({
      tenantId,
      contractId,
      timestamp,
      uid,
    })),
  );
  const raised = standing.map(({ finding, alert: { uid } }) => ({ finding, uid }));
  await recordPlanned(tx, raised);
  await runHooks(tx, hooks, raised);
}

function withAlert(finding: Finding, { uid, timestamp, numericSeverity }: Adoptable): Finding {
  const severity = numericSeverity === undefined ? finding.severity : toSeverity(numericSeverity);
  return { ...finding, uid, timestamp, severity };
}

/** An alert that differs from a planned change is raised by itself where the pending alert had been taken for what was planned. */
function isAdoptable({ planned, severity }: Finding, { numericSeverity }: HeldPending): boolean {
  return planned?.isMatch !== false || (numericSeverity ?? 0) >= severityOf[severity];
}

/** By their places; what is elsewhere in the block than it was in the simulation, by its order. */
function pair(findings: readonly Finding[], held: readonly HeldPending[]): Map<Finding, HeldPending> {
  const pairs = new Map<Finding, HeldPending>();
  const ownerOf = ({ tenantId, txHash, source }: Pick<HeldPending, 'tenantId' | 'txHash' | 'source'>) =>
    `${tenantId} ${txHash} ${source}`;
  const free = groupBy(held, ownerOf);
  const keyed = findings.flatMap((finding) => {
    const { tenantId, txHash, place: txPosition } = finding;
    if (!txHash || txPosition === undefined) return [];
    return [
      { finding, place: txPosition, own: ownerOf({ tenantId, txHash, source: pendingSource(finding) }) },
    ];
  });
  for (const isExact of [true, false])
    for (const { finding, place: txPosition, own: owner } of keyed) {
      if (pairs.has(finding)) continue;
      const alerts: HeldPending[] = free.get(owner) ?? [];
      // One that another finding of the block has become already is not for this one.
      const index = alerts.findIndex(
        (alert) =>
          isAdoptable(finding, alert) && (isExact ? alert.place === txPosition : alert.state !== 'ADOPTED'),
      );
      if (index >= 0) pairs.set(finding, alerts.splice(index, 1)[0]!);
    }
  return pairs;
}
