import { Type } from 'typebox';
import { severityOf } from '../../../model/alert.ts';
import { severities } from '../../../model/enumerations.ts';
import { Count, Id, List, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { acknowledgeIncident } from '../../../services/alerts/acknowledge.ts';
import { changeIncident, readIncident } from '../../../services/alerts/changeIncident.ts';
import type { Call } from '../../../services/call.ts';
import {
  dispositions,
  exportIncidents,
  findIncidentAlerts,
  incidentNames,
  incidentStatuses,
  incidentTable,
  searchIncidents,
} from '../../../store/alerts/incidentTable.ts';
import type { Search } from '../../../store/records/records.ts';
import { ownTenantsScope } from '../../../store/search/documents/documentScopes.ts';
import type { DocumentScope } from '../../../store/search/documents/documentTable.ts';
import { readOnly, readReplySchema, replySchema } from '../../../store/tables/fields.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { exportable } from '../../http/exportable.ts';
import { searchBody, searchReply } from '../../http/search.ts';
import { exportReachable, partial, searchReachable } from '../records/searchReachable.ts';
import { acknowledgeEndpoints } from './acknowledgeEndpoints.ts';
import { wholeAlert } from './alertSchemas.ts';

const tag = 'Incidents';
const record = replySchema(incidentTable.fields);
const params = Shape({ uid: Text('The incident.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }) }, [
  'uid',
]);
const withAlerts = {
  ...incidentTable.fields,
  alertList: readOnly(List(wholeAlert.schema, 'Its alerts.'), { notNull: true, detail: true }),
};
/** Alerts that a read of one incident shows; the others are found by `incidentUid`. */
const maxShownAlerts = 1000;

const listQuery = Type.Unsafe<{
  from?: number;
  size?: number;
  status?: (typeof incidentStatuses)[number];
  severity?: (typeof severities)[number];
}>(
  Shape(
    {
      from: Count('Skip this many.', 0),
      size: Type.Integer({
        description: 'At most this many; 10 if left out.',
        minimum: 0,
        maximum: 1000,
        examples: [10],
      }),
      status: OneOf(incidentStatuses, 'Only those in this state.', 'UNRESOLVED'),
      severity: OneOf(severities, 'Only those of this severity.', 'CRITICAL'),
    },
    [],
  ),
);

const changes = {
  status: OneOf(['UNRESOLVED', 'RESOLVED'], 'The new state.', 'RESOLVED'),
  assigneeId: nullable(Id('The user of the tenant who owns it; null for no one.')),
  disposition: nullable(
    OneOf(
      dispositions,
      'What it turned out to be: an attack or a real fault, harmless, expected, or made by a test; null takes it back.',
      'TRUE',
    ),
  ),
  dispositionReason: nullable(Text('Why.', 'The keys were moved as planned.', { max: 2000 })),
};

/** Incidents are on the workers of their alerts. */
function findIncidents(call: Call, search: Search) {
  const find = async ({ tenantIds = [] }: DocumentScope, partial?: string[]) => {
    const scope = partial ? { ...call.scope, all: false, tenantIds } : call.scope;
    const reply = await searchIncidents(call.services.reports, scope, search);
    return { ...reply, ...(partial && { partial }) };
  };
  return searchReachable(call, ownTenantsScope(call.scope), find);
}

export const incidentEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/incident',
    tag,
    summary: 'List the newest incidents',
    description:
      'An incident holds the alerts that have one cause: those of one transaction, and the same finding again and again. The one with the newest alert comes first.',
    query: listQuery,
    reply: searchReply(record, { partial }),
    effect: 'read',
    handle: async (call, { query: { from = 0, size = 10, status, severity } }) => {
      const where = [
        ...(status ? [`status = '${status}'`] : []),
        ...(severity ? [`numericSeverity = ${severityOf[severity]}`] : []),
      ].join(' and ');
      return { body: await findIncidents(call, { from, size, where }) };
    },
  }),
  exportable(
    endpoint({
      method: 'POST',
      path: '/incident/search',
      tag,
      summary: 'Search incidents',
      description: 'The one with the newest alert comes first unless `sort` says otherwise.',
      body: searchBody,
      reply: searchReply(record, { partial }),
      effect: 'read',
      problems: ['invalid-where'],
      handle: async (call, { body }) => ({ body: await findIncidents(call, body) }),
    }),
    incidentNames,
    async (call, { body }, members) =>
      exportReachable(call, ownTenantsScope(call.scope), () =>
        exportIncidents(call.services.reports, call.scope, (body as Search | undefined) ?? {}, members),
      ),
  ),
  endpoint({
    method: 'GET',
    path: '/incident/{uid}',
    tag,
    summary: 'Read an incident with its alerts',
    description: `\`alertList\` has the first ${maxShownAlerts} alerts, as they happened; search alerts by \`incidentUid\` for all.`,
    params,
    reply: readReplySchema(withAlerts),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => {
      const incident = await readIncident(call, params.uid);
      const alertList = await findIncidentAlerts(call.db, incident, wholeAlert.names, maxShownAlerts);
      return { body: { ...incident, alertList } };
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/incident/{uid}',
    tag,
    summary: 'Change an incident',
    description:
      'With `status` all its alerts change, and every destination that got one of them is notified once. `disposition` says what it turned out to be: it counts for the precision of each detector with an alert in it.',
    params,
    body: Shape(changes, []),
    reply: record,
    effect: 'change',
    problems: ['not-found', 'illegal-transition', 'unprocessable'],
    handle: async (call, { params, body }) => ({ body: await changeIncident(call, params.uid, body) }),
  }),
  ...acknowledgeEndpoints({
    path: '/incident/{uid}/acknowledge',
    tag,
    what: 'incident',
    description:
      'Covers its alerts, also those that come later, until one is worse than all before. Resolved, retracted and acknowledged alerts are not repeated.',
    reply: record,
    acknowledge: acknowledgeIncident,
  }),
];
