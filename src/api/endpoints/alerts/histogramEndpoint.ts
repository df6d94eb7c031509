import { Type } from 'typebox';
import { itemAt } from '../../../lib/itemAt.ts';
import { type AlertGroup, alertGroups, type Severity, severityOf, toSeverity } from '../../../model/alert.ts';
import { severities } from '../../../model/enumerations.ts';
import { Count, Id, OneOf, Shape } from '../../../model/schema.ts';
import { findReadable } from '../../../services/records/findReadable.ts';
import { reportSlowSearch } from '../../../store/records/reportSlowSearch.ts';
import { countAlertsOverTime } from '../../../store/search/count/countAlertsOverTime.ts';
import type { CellCount } from '../../../store/search/rollups/countByRollup.ts';
import { countContractEntries } from '../../../store/search/rollups/countContractEntries.ts';
import { contractTable } from '../../../store/tables/contractTable.ts';
import { endpoint } from '../../http/endpoint.ts';
import { histogramBody, histogramData, readCut } from '../records/histogramBody.ts';

const count = (description: string, example: number) => Count(description, example, Number.MAX_SAFE_INTEGER);
const group = Shape(
  { count: count('How many alerts.', 3), maxSeverity: OneOf(severities, 'The worst of them.', 'HIGH') },
  ['count', 'maxSeverity'],
  'The alerts of this group.',
);
const bucket = Shape(
  Object.fromEntries(alertGroups.map((name) => [name, group])),
  [],
  'The groups that have alerts in this bucket.',
);
const perGroup = (description: string, counted: string) =>
  Shape(Object.fromEntries(alertGroups.map((name) => [name, count(counted, 3)])), alertGroups, description);

/** docs/api-spec.md, Histograms. */
export const histogramEndpoint = endpoint({
  method: 'POST',
  path: '/contract/{id}/histogram',
  tag: 'Alerts',
  summary: 'Histogram of the alerts of a contract',
  description:
    'Alerts by time and group. Detectors of the categories SECURITY and OPERATIONAL are in the group SECURITY, those of COMPLIANCE and FINANCIAL in COMPLIANCE. Retracted alerts are not counted unless the query names `status`.',
  params: Shape({ id: Id('The contract.') }, ['id']),
  body: histogramBody,
  reply: Type.Unsafe(
    Shape(
      {
        data: histogramData(bucket),
        total: perGroup('Alerts of each group in the whole range, under the query.', 'How many alerts.'),
        count: perGroup(
          'What is set up on the contract, whatever the query: its active detectors by category, its triggers, its actions.',
          'How many there are.',
        ),
      },
      ['data', 'total', 'count'],
    ),
  ),
  effect: 'read',
  isReport: true,
  problems: ['invalid-query', 'not-found'],
  handle: async (call, { params, body }) => {
    const cut = readCut(body);
    const contract = await findReadable(call, contractTable, params.id);
    const owner = { tenantId: contract.tenantId, contractId: contract.id, isForeign: contract.isForeign };
    const { reports } = call.services;
    const [counts, count] = await Promise.all([
      reportSlowSearch(() => countAlertsOverTime(reports, owner, cut, body.query, call.now)),
      countContractEntries(call.db, contract),
    ]);
    return { body: { data: toData(cut.starts, counts), total: totals(counts), count } };
  },
});

type Bucket = Partial<Record<AlertGroup, { count: number; maxSeverity: Severity }>>;

function toData(starts: readonly number[], counts: readonly CellCount[]) {
  const points = starts.map((ts): { ts: number; bucket: Bucket } => ({ ts, bucket: {} }));
  for (const { bucket: index, group, count, numericSeverity } of counts) {
    const { bucket } = itemAt(points, index);
    const sum = bucket[group] ?? { count: 0, maxSeverity: 'INFO' };
    bucket[group] = sum;
    sum.count += count;
    if (numericSeverity > severityOf[sum.maxSeverity]) sum.maxSeverity = toSeverity(numericSeverity);
  }
  return points;
}

function totals(counts: readonly CellCount[]): Record<AlertGroup, number> {
  const result = { SECURITY: 0, COMPLIANCE: 0, action: 0, trigger: 0 };
  for (const { group, count } of counts) result[group] += count;
  return result;
}
