import { getOrThrow } from '../../lib/getOrThrow.ts';
import { itemAt } from '../../lib/itemAt.ts';
import { type AlertGroup, type AlertKind, type Severity, toSeverity } from '../../model/alert.ts';
import { Problem } from '../../model/errors.ts';
import type { MetricName } from '../../model/metrics.ts';
import { findPlanUse, type PlanUse } from '../../store/accounts/plans.ts';
import { findRecord } from '../../store/records/records.ts';
import { reportSlowSearch } from '../../store/records/reportSlowSearch.ts';
import { countAlertsOverTime } from '../../store/search/count/countAlertsOverTime.ts';
import type { TimeCut } from '../../store/search/rollups/countByRollup.ts';
import { tenantTable } from '../../store/tables/tenantTable.ts';
import { sumMetrics } from '../../store/telemetry/readSamples.ts';
import type { Call } from '../call.ts';

type Counted = Record<
  'notifications' | 'actions' | 'apiRequests' | 'blocks' | 'transactions' | 'evaluations',
  number
>;

/** The member of a bucket that each metric counts. */
const usageMembers = new Map<MetricName, keyof Counted>([
  ['deliveries', 'notifications'],
  ['actions', 'actions'],
  ['api_requests', 'apiRequests'],
  ['blocks', 'blocks'],
  ['transactions', 'transactions'],
  ['evaluations', 'evaluations'],
]);

/** Every step of an action is counted under its outcome; each one that is carried out is submitted exactly once. */
const countedTypes = { actions: 'submitted' } as const;

type UsageBucket = Counted & {
  alerts: { total: number; byKind: Record<AlertKind, number>; bySeverity: Record<Severity, number> };
  plan?: PlanUse;
};

const id = ['id'] as const;

/** Usage of a tenant, bucket by bucket; the newest bucket also has the plan and its present use. */
export async function readUsage(
  call: Call,
  tenantId: number,
  cut: TimeCut,
  query: string | undefined,
): Promise<{ ts: number; bucket: UsageBucket }[]> {
  const { reports } = call.services;
  if (!(await findRecord(call.db, tenantTable, call.scope, tenantId, id)))
    throw new Problem('not-found', 'There is no such tenant.');
  const owner = { tenantId, contractId: 0 };
  const [counts, sums, plan] = await Promise.all([
    reportSlowSearch(() => countAlertsOverTime(reports, owner, cut, query, call.now)),
    reportSlowSearch(() => sumMetrics(reports, tenantId, [...usageMembers.keys()], countedTypes, cut)),
    findPlanUse(call.db, tenantId, call.services.alertFeed.slots.count(tenantId), call.now),
  ]);
  const points = cut.starts.map((ts) => ({ ts, bucket: emptyBucket() }));
  for (const { bucket, group, numericSeverity, count } of counts) {
    const { alerts } = itemAt(points, bucket).bucket;
    alerts.total += count;
    alerts.byKind[kindOf[group]] += count;
    alerts.bySeverity[toSeverity(numericSeverity)] += count;
  }
  for (const { bucket, metric, value } of sums)
    itemAt(points, bucket).bucket[getOrThrow(usageMembers, metric)] = value;
  itemAt(points, points.length - 1).bucket.plan = plan;
  return points;
}

const kindOf: Record<AlertGroup, AlertKind> = {
  SECURITY: 'detector',
  COMPLIANCE: 'detector',
  action: 'action',
  trigger: 'trigger',
};

function emptyBucket(): UsageBucket {
  return {
    alerts: {
      total: 0,
      byKind: { detector: 0, trigger: 0, action: 0 },
      bySeverity: { INFO: 0, LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 },
    },
    notifications: 0,
    actions: 0,
    apiRequests: 0,
    blocks: 0,
    transactions: 0,
    evaluations: 0,
  };
}
