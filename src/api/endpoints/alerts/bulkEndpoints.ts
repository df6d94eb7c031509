import { Type } from 'typebox';
import { invalid } from '../../../model/errors.ts';
import { Count, Flag, Id, nullable, Shape, Words } from '../../../model/schema.ts';
import { changeAlerts } from '../../../services/alerts/changeAlerts.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { checkTimeseries, queryText, timeseries } from '../records/familyQ.ts';

type Selection = { query: string; timeseries?: { from: number; to: number }[]; dryRun?: boolean };

const selection = {
  query: queryText,
  timeseries,
  dryRun: Flag('True only counts what would change.'),
};

const reply = Shape(
  {
    count: Count('How many alerts changed, or would change.', 3, Number.MAX_SAFE_INTEGER),
    isComplete: Type.Boolean({
      description: 'False when the query finds more than one request changes; send it again for the rest.',
      examples: [true],
    }),
  },
  ['count', 'isComplete'],
);

const how =
  'Concerns the alerts of your tenant that the query finds when the request begins, at most 100,000, the oldest first; ' +
  'retracted ones and those raised meanwhile stay as they are. They change in batches: what a broken request has left ' +
  'unchanged changes when it is sent again.';

const common = { method: 'POST', tag: 'Alerts', reply, effect: 'batches', isReport: true } as const;

export const bulkEndpoints: Endpoint[] = [
  endpoint({
    ...common,
    path: '/alert/resolve',
    summary: 'Resolve alerts by query',
    description: `Marks them as resolved, or as open again. ${how}`,
    body: Type.Unsafe<Selection & { resolved?: boolean }>(
      Shape({ ...selection, resolved: Flag('False opens them again; true if left out.') }, ['query']),
    ),
    problems: ['invalid-query'],
    handle: async (call, { body: { resolved: isResolved = true, ...body } }) => {
      checkTimeseries(body.timeseries);
      return { body: await changeAlerts(call, body, { type: 'resolve', isResolved }) };
    },
  }),
  endpoint({
    ...common,
    path: '/alert/tag',
    summary: 'Tag alerts by query',
    description: `Adds and removes tags; an alert that would have more than 100 stays as it is. ${how}`,
    body: Type.Unsafe<Selection & { add?: string[]; remove?: string[] }>(
      Shape(
        {
          ...selection,
          add: Words('Tags to add.', ['reviewed']),
          remove: Words('Tags to remove.', ['new']),
        },
        ['query'],
      ),
    ),
    problems: ['invalid-query'],
    handle: async (call, { body: { add = [], remove = [], ...body } }) => {
      checkTimeseries(body.timeseries);
      if (add.length + remove.length === 0)
        throw invalid('/add', 'required', 'is required unless `remove` is given: name a tag.');
      const both = add.findIndex((tag) => remove.includes(tag));
      if (both >= 0)
        throw invalid(`/add/${both}`, 'contradiction', 'is in `remove` as well; name it in one of the two.');
      const change = { type: 'tag', add: [...new Set(add)], remove } as const;
      return { body: await changeAlerts(call, body, change) };
    },
  }),
  endpoint({
    ...common,
    path: '/alert/assign',
    summary: 'Assign alerts by query',
    description: `Hands them to a user of the tenant, or to no one. ${how}`,
    body: Type.Unsafe<Selection & { assigneeId: number | null }>(
      Shape({ ...selection, assigneeId: nullable(Id('The user; null for no one.')) }, [
        'query',
        'assigneeId',
      ]),
    ),
    problems: ['invalid-query', 'unprocessable'],
    handle: async (call, { body: { assigneeId, ...body } }) => {
      checkTimeseries(body.timeseries);
      return { body: await changeAlerts(call, body, { type: 'assign', assigneeId }) };
    },
  }),
];
