import { alertKinds } from '../../../model/alert.ts';
import { severities } from '../../../model/enumerations.ts';
import { Count, Id, Shape } from '../../../model/schema.ts';
import { readUsage } from '../../../services/telemetry/readUsage.ts';
import { endpoint } from '../../http/endpoint.ts';
import { planUse } from '../accounts/plan.ts';
import { histogramBody, histogramData, readCut } from '../records/histogramBody.ts';

const count = (description: string, example: number) => Count(description, example, Number.MAX_SAFE_INTEGER);
const perWord = (words: readonly string[], description: string) =>
  Shape(Object.fromEntries(words.map((word) => [word, count('How many alerts.', 3)])), words, description);

const alerts = {
  total: count('All alerts.', 3),
  byKind: perWord(alertKinds, 'Alerts by what raised them.'),
  bySeverity: perWord(severities, 'Alerts by severity.'),
};
const counted = {
  alerts: Shape(alerts, Object.keys(alerts), 'Alerts raised, as far as the query finds them.'),
  notifications: count('Notifications delivered.', 12),
  actions: count('Actions carried out: executions whose transaction was sent, each once.', 1),
  apiRequests: count('API requests of the tenant.', 340),
  blocks: count('Blocks processed for the tenant.', 7200),
  transactions: count('Transactions processed for the tenant.', 150_000),
  evaluations: count('Evaluations of its detectors and triggers.', 150_000),
};

/** docs/api-spec.md, Histograms. */
export const usageEndpoint = endpoint({
  method: 'POST',
  path: '/tenant/{id}/dashboard/usage',
  tag: 'Usage and telemetry',
  summary: 'Usage of a tenant',
  description:
    'What the tenant used, bucket by bucket. `query` filters the alerts and nothing else; retracted alerts are not counted unless it names `status`. All other numbers are kept by the minute, and a minute belongs to the bucket in which it begins. The last bucket, and only that one, also has `plan`: the limits of the plan and what the tenant has of each at this moment, whatever the range.',
  params: Shape({ id: Id('The tenant.') }, ['id']),
  body: histogramBody,
  reply: Shape(
    { data: histogramData(Shape({ ...counted, plan: planUse }, Object.keys(counted), 'What was used.')) },
    ['data'],
  ),
  effect: 'read',
  isReport: true,
  problems: ['invalid-query', 'not-found'],
  handle: async (call, { params, body }) => ({
    body: { data: await readUsage(call, params.id, readCut(body), body.query) },
  }),
});
