import type { Finding } from '../model/alert.ts';
import { addToAlertRates } from '../store/alerts/alertRate.ts';
import type { Db } from '../store/db.ts';

/**
 * Holds a tenant's detectors to the plan's rate: findings beyond it are stored as suppressed and notify no one, and one alert
 * says so. Triggers and actions are not limited.
 */
export async function limitRate(tx: Db, findings: readonly Finding[], now: number): Promise<Finding[]> {
  const counts = new Map<number, number>();
  for (const { kind, tenantId } of findings)
    if (kind === 'detector') counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  if (counts.size === 0) return [...findings];
  const windows = new Map(
    (await addToAlertRates(tx, counts, now)).map((window) => [window.tenantId, window]),
  );
  const notices: Finding[] = [];
  const limited = findings.map((finding) => {
    const window = finding.kind === 'detector' ? windows.get(finding.tenantId) : undefined;
    if (!window) return finding;
    window.before++;
    if (window.before <= window.limit) return finding;
    if (window.before === window.limit + 1) notices.push(notice(finding, window));
    return { ...finding, suppressed: true };
  });
  return [...limited, ...notices];
}

function notice(
  first: Finding,
  { limit, durationMs, start }: { limit: number; durationMs: number; start: number },
): Finding {
  const { tenantId, projectId, contractId, timestamp } = first;
  return {
    tenantId,
    projectId,
    contractId,
    timestamp,
    kind: 'detector',
    group: 'SECURITY',
    severity: 'HIGH',
    key: `rate limit ${start}`,
    eid: `rate-limit-${start}`,
    name: 'Alert rate limit reached',
    message: `Detectors raised more than ${limit} alerts within ${Math.round(durationMs / 1000)} s, which is the plan's limit. Further ones are stored as suppressed and notify no one until ${new Date(start + durationMs).toISOString()}.`,
    meta: { limit, durationMs, until: start + durationMs },
    tags: ['vigil'],
  };
}
