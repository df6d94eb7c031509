import { type Finding, severityOf } from '../model/alert.ts';
import { severities } from '../model/enumerations.ts';
import { addToAlertRates, type RateWindow, saveNoticed } from '../store/alerts/alertRate.ts';
import { suppress } from '../store/alerts/findingTerms.ts';
import type { Db } from '../store/db.ts';

/**
 * Holds a tenant's detectors to the plan's rate: findings beyond it are stored as suppressed and notify no one, and an alert
 * says so. A finding competes only with those of its own severity and above, so that no flood of lower ones hides it. Triggers
 * and actions are not limited.
 */
export async function limitRate(
  tx: Db,
  chainUid: string,
  findings: readonly Finding[],
  now: number,
): Promise<Finding[]> {
  const counts = countBySeverity(findings);
  if (counts.size === 0) return [...findings];
  const windows = new Map(
    (await addToAlertRates(tx, chainUid, counts, now)).map((window) => [window.tenantId, window]),
  );
  const notices: Finding[] = [];
  const limited = findings.map((finding) => {
    const window = finding.kind === 'detector' ? windows.get(finding.tenantId) : undefined;
    if (!window || !isOver(window, finding)) return finding;
    if (severityOf[finding.severity] > window.noticed) {
      window.noticed = severityOf[finding.severity];
      notices.push(notice(finding, window));
    }
    return suppress(finding);
  });
  const noticed = new Set(notices.map(({ tenantId }) => tenantId));
  for (const window of windows.values())
    if (noticed.has(window.tenantId)) await saveNoticed(tx, chainUid, window);
  return [...limited, ...notices];
}

function countBySeverity(findings: readonly Finding[]): Map<number, number[]> {
  const counts = new Map<number, number[]>();
  for (const { kind, tenantId, severity } of findings) {
    if (kind !== 'detector') continue;
    const cells = counts.get(tenantId) ?? severities.map(() => 0);
    cells[severities.indexOf(severity)]!++;
    counts.set(tenantId, cells);
  }
  return counts;
}

/** Counts the finding. */
function isOver({ before, limit }: RateWindow, { severity }: Finding): boolean {
  const cell = severities.indexOf(severity);
  before[cell]!++;
  return before.slice(cell).reduce((sum, count) => sum + count, 0) > limit;
}

function notice(first: Finding, { limit, durationMs, start }: RateWindow): Finding {
  const { tenantId, projectId, contractId, timestamp, severity } = first;
  const until = start + durationMs;
  return {
    tenantId,
    projectId,
    contractId,
    timestamp,
    kind: 'detector',
    group: 'SECURITY',
    severity: severity === 'CRITICAL' ? 'CRITICAL' : 'HIGH',
    key: `rate limit ${start} ${severity}`,
    eid: `rate-limit-${start}-${severity}`,
    name: 'Alert rate limit reached',
    message: `Detectors raised more than ${limit} alerts of severity ${severity}${severity === 'CRITICAL' ? '' : ' or above'} within ${Math.round(durationMs / 1000)} s, which is the plan's limit. Further alerts up to this severity are stored as suppressed and notify no one until ${new Date(until).toISOString()}.`,
    meta: { limit, durationMs, until, severity },
    tags: ['vigil'],
  };
}
