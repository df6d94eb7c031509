import { invalidInput } from '../../../model/validate.ts';
import { aggregateDocuments } from '../../../store/search/aggregate/aggregateDocuments.ts';
import { planAggregation } from '../../../store/search/aggregate/planAggregation.ts';
import { alertTable } from '../../../store/search/documents/alertTable.ts';
import { kindScope, visibleScope } from '../../../store/search/documents/documentScopes.ts';
import { asSeenIn, type DocumentScope } from '../../../store/search/documents/documentTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { checkTimeseries } from '../records/familyQ.ts';
import { searchReachable } from '../records/searchReachable.ts';
import { aggregationBody, aggregationReply } from './aggregationSchemas.ts';

const description = `Groups and measures the alerts that \`query\` and \`timeseries\` leave. Each item has a \`name\`, under which its result
stands in \`data\`, a \`field\`, and in \`aggregation\` kind words and nested items, in any order:

- \`terms\` makes a bucket of each value of the field. It is what is done when \`aggregation\` is left out, empty, or holds
  a nested item. An alert with several values is in several buckets, one without a value in none.
- \`date_histogram\` makes a bucket of each \`interval\` in \`timezone\`; \`key\` is where it begins. There is none before the
  first alert or after the last, and none is left out in between.
- \`count\`, \`min\`, \`max\`, \`avg\`, \`sum\`, \`stats\`, \`cardinality\`, \`percentiles\` and \`missing\` measure the field: inside
  every bucket if the item has buckets, else once. \`missing\` counts the alerts without a value, and stands beside
  \`buckets\` too. All are exact; percentiles are interpolated. Of nothing, \`sum\` and counts are 0 and the rest is null.

Nested items are computed inside every bucket. Texts are grouped by their \`.keyword\` field; members of \`meta\` by
\`meta.name\` (numbers, true and false) or \`meta.name.keyword\` (texts). Addresses and hashes are in lower case.

A result with buckets is \`{ count, buckets: [{ key, count, … }], otherCount }\`, where \`otherCount\` adds up the buckets
beyond \`size\` (not for a histogram); one without is \`{ count, … }\`. \`count\` is the number of alerts under the item's
own \`query\`. Items may be nested 4 deep; there may be 50, with 10,000 buckets in all.`;

function aggregation(
  path: string,
  summary: string,
  narrow: (scope: DocumentScope) => DocumentScope,
): Endpoint {
  return endpoint({
    method: 'POST',
    path,
    tag: 'Alerts',
    summary,
    description,
    body: aggregationBody,
    reply: aggregationReply,
    effect: 'read',
    isReport: true,
    problems: ['invalid-query'],
    handle: async (call, { body }) => {
      checkTimeseries(body.timeseries);
      const scope = narrow(await visibleScope(call.db, call.scope));
      const table = asSeenIn(alertTable, scope);
      const { items, faults } = planAggregation(table, body.aggregation);
      if (faults.length > 0) throw invalidInput(faults);
      const { reports } = call.services;
      const aggregate = (within: DocumentScope, partial?: string[]) =>
        aggregateDocuments(reports, table, within, body, items, call.now).then((reply) => ({
          body: { ...reply, ...(partial && { partial }) },
        }));
      return searchReachable(call, scope, aggregate);
    },
  });
}

/** docs/api-spec.md, Aggregations: of action alerts, and the same for alerts of every kind. */
export const aggregationEndpoints: Endpoint[] = [
  aggregation('/action/alert/aggregation', 'Aggregate the action alerts that you may see', (scope) =>
    kindScope(scope, 'action'),
  ),
  aggregation('/alert/aggregation', 'Aggregate all alerts that you may see', (scope) => scope),
];
