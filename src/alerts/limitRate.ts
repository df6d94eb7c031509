import { getOrThrow } from '../lib/getOrThrow.ts';
import { type Finding, severityOf } from '../model/alert.ts';
import { severities } from '../model/enumerations.ts';
import { addToAlertRates, awaitTurn, type RateWindow, readAlertRates } from '../store/alerts/alertRate.ts';
import { type Db, Overtaken } from '../store/db/db.ts';
import { suppress } from '../store/search/terms/findingTerms.ts';

type Limited = {
  findings: Finding[];
  /** Counts them. Comes last in the transaction, because all others of their tenants then wait for its end. */
  count: () => Promise<void>;
};

/**
 * Applies the plan's rate to a tenant's detectors: findings beyond it are suppressed, and an alert reports that.
 * Findings compete only with their own severity and above, so low floods hide nothing. If other commits change the
 * result, the transaction runs again.
 */
export async function limitRate(tx: Db, findings: readonly Finding[], now: number): Promise<Limited> {
  const counts = countBySeverity(findings);
  if (counts.size === 0) return { findings: [...findings], count: async () => {} };
  const windows = await readWindows(tx, counts, now);
  const over = findOver(windows, findings);
  const notices = windows.flatMap((window) => takeNotices(window, over));
  return {
    findings: [...findings.map((finding) => (over.has(finding) ? suppress(finding) : finding)), ...notices],
    count: async () => {
      const counted = await addToAlertRates(tx, windows, counts);
      // Counts only grow, so that as many are the same ones.
      if (findOver(counted, findings).size !== over.size) throw new Overtaken();
    },
  };
}

/** By tenant: how many findings of each severity. */
type Counts = ReadonlyMap<number, readonly number[]>;

function countBySeverity(findings: readonly Finding[]): Counts {
  const counts = new Map<number, number[]>();
  for (const finding of findings.filter(isCounted)) {
    const cells = counts.get(finding.tenantId) ?? severities.map(() => 0);
    cells[cellOf(finding)]!++;
    counts.set(finding.tenantId, cells);
  }
  return counts;
}

function isCounted({ kind, backfilled }: Finding): boolean {
  return kind === 'detector' && backfilled !== true;
}

const cellOf = ({ severity }: Finding) => severities.indexOf(severity);

/** Near the limit one waits for the other, so that few are overtaken; elsewhere none does. */
async function readWindows(tx: Db, counts: Counts, now: number): Promise<RateWindow[]> {
  const seen = await readAlertRates(tx, [...counts.keys()], now);
  const near = seen.filter((window) => isNearLimit(window, getOrThrow(counts, window.tenantId)));
  if (near.length === 0) return seen;
  await awaitTurn(
    tx,
    near.map(({ tenantId }) => tenantId),
  );
  return readAlertRates(tx, [...counts.keys()], now);
}

/** True if some of these may be the first beyond the limit. */
function isNearLimit({ before, limit, noticed }: RateWindow, added: readonly number[]): boolean {
  return added.some((count, cell) => {
    const sum = sumFrom(before, cell);
    const isUnnoticed = severityOf[severities[cell]!] > noticed;
    return count > 0 && (sum < limit || isUnnoticed) && sum + sumFrom(added, cell) > limit * nearLimit;
  });
}

/** The share of the limit at which its neighbourhood begins. */
const nearLimit = 0.9;

const sumFrom = (cells: readonly number[], first: number) =>
  cells.slice(first).reduce((sum, count) => sum + count, 0);

function findOver(windows: readonly RateWindow[], findings: readonly Finding[]): Set<Finding> {
  const byTenant = new Map(
    windows.map(({ tenantId, limit, before }) => [tenantId, { limit, cells: [...before] }]),
  );
  return new Set(
    findings.filter((finding) => {
      if (!isCounted(finding)) return false;
      const { limit, cells } = getOrThrow(byTenant, finding.tenantId);
      cells[cellOf(finding)]!++;
      return sumFrom(cells, cellOf(finding)) > limit;
    }),
  );
}

/** A notice for each severity that goes beyond the limit of its window for the first time. */
function takeNotices(window: RateWindow, over: ReadonlySet<Finding>): Finding[] {
  const notices: Finding[] = [];
  for (const finding of over) {
    if (finding.tenantId !== window.tenantId || severityOf[finding.severity] <= window.noticed) continue;
    window.noticed = severityOf[finding.severity];
    notices.push(notice(finding, window));
  }
  return notices;
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
