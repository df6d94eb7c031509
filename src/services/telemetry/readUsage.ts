import { type AlertGroup, type AlertKind, type Severity, severityOf } from '../../model/alert.ts';
import { Problem } from '../../model/errors.ts';
import type { MetricName } from '../../model/metrics.ts';
import { findPlanUse, type PlanUse } from '../../store/accounts/plans.ts';
import { tenantTable } from '../../store/accounts/tenantTable.ts';
import { countAlertsOverTime, type TimeCut } from '../../store/alerts/countAlertsOverTime.ts';
import { withTimeLimit } from '../../store/documents/searchDocuments.ts';
import { findRecord } from '../../store/records/records.ts';
import { sumMetrics } from '../../store/telemetry/readSamples.ts';
import type { Call } from '../call.ts';

/** Members of a bucket that are counted by a metric. */
const usageMetrics = {
  notifications: 'deliveries',
  actions: 'actions',
  apiRequests: 'api_requests',
  blocks: 'blocks',
  transactions: 'transactions',
  evaluations: 'evaluations',
} as const satisfies Record<string, MetricName>;

/** Every step of an action is counted under its outcome; each one that is carried out is submitted exactly once. */
const countedTypes = { actions: 'submitted' } as const;

type Counted = Record<keyof typeof usageMetrics, number>;

type UsageBucket = Counted & {
  alerts: { total: number; byKind: Record<AlertKind, number>; bySeverity: Record<Severity, number> };
  plan?: PlanUse;
};

const id = ['id'] as const;

/** What a tenant used, bucket by bucket; the newest bucket also has the plan and what is in use of it now. */
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
    withTimeLimit(() => countAlertsOverTime(reports, owner, cut, query, call.now)),
    withTimeLimit(() => sumMetrics(reports, tenantId, Object.values(usageMetrics), countedTypes, cut)),
    findPlanUse(call.db, tenantId, call.services.alertFeed.slots.count(tenantId), call.now),
  ]);
  const buckets = cut.starts.map(emptyBucket);
  for (const { bucket, group, numericSeverity, count } of counts) {
    const { alerts } = buckets[bucket]!;
    alerts.total += count;
    alerts.byKind[kindOf[group]] += count;
    alerts.bySeverity[severityNames.get(numericSeverity)!] += count;
  }
  for (const { bucket, metric, value } of sums) buckets[bucket]![memberOf.get(metric)!] = value;
  buckets.at(-1)!.plan = plan;
  return cut.starts.map((ts, index) => ({ ts, bucket: buckets[index]! }));
}

const memberOf = new Map<MetricName, keyof Counted>();
for (const [member, metric] of Object.entries(usageMetrics)) memberOf.set(metric, member as keyof Counted);

const kindOf: Record<AlertGroup, AlertKind> = {
  SECURITY: 'detector',
  COMPLIANCE: 'detector',
  action: 'action',
  trigger: 'trigger',
};
const severityNames = new Map<number, Severity>();
for (const [name, number] of Object.entries(severityOf)) severityNames.set(number, name as Severity);

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
