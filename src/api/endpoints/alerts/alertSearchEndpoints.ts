import type { AlertKind } from '../../../model/alert.ts';
import { Id, Shape } from '../../../model/schema.ts';
import { findReadable } from '../../../services/records/findReadable.ts';
import { alertTable } from '../../../store/alerts/alertTable.ts';
import { contractTable } from '../../../store/contracts/contractTable.ts';
import { projectTable } from '../../../store/contracts/projectTable.ts';
import { contractScope, projectScope, visibleScope } from '../../../store/documents/documentScopes.ts';
import { searchJson } from '../../../store/documents/searchDocuments.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { checkTimeseries, familyQ, familyQReply } from '../records/familyQ.ts';
import { actionAlert, triggerAlert, wholeAlert } from './alertSchemas.ts';

const tag = 'Alerts';
const problems = ['invalid-query', 'not-found'] as const;

/** Alerts of one kind of one contract: of actions, triggers and detectors (docs/api-spec.md, Family Q). */
function contractSearch(kind: AlertKind, shape: typeof wholeAlert): Endpoint {
  return endpoint({
    method: 'POST',
    path: `/contract/{id}/${kind}/alert/search`,
    tag,
    summary: `Search the ${kind} alerts of a contract`,
    params: Shape({ id: Id('The contract.') }, ['id']),
    body: familyQ,
    reply: familyQReply(shape.schema),
    effect: 'read',
    isReport: true,
    problems,
    handle: async (call, { params, body }) => {
      checkTimeseries(body.timeseries);
      const scope = contractScope(await findReadable(call, contractTable, params.id), kind);
      return {
        json: await searchJson(call.services.reports, alertTable, scope, body, shape.names, call.now),
      };
    },
  });
}

const projectSearch = endpoint({
  method: 'POST',
  path: '/project/{id}/alert/search',
  tag,
  summary: 'Search the alerts of a project',
  params: Shape({ id: Id('The project.') }, ['id']),
  body: familyQ,
  reply: familyQReply(wholeAlert.schema),
  effect: 'read',
  isReport: true,
  problems,
  handle: async (call, { params, body }) => {
    checkTimeseries(body.timeseries);
    const scope = await projectScope(call.db, await findReadable(call, projectTable, params.id));
    return {
      json: await searchJson(call.services.reports, alertTable, scope, body, wholeAlert.names, call.now),
    };
  },
});

const search = endpoint({
  method: 'POST',
  path: '/alert/search',
  tag,
  summary: 'Search all alerts that you may see',
  body: familyQ,
  reply: familyQReply(wholeAlert.schema),
  effect: 'read',
  isReport: true,
  problems: ['invalid-query'],
  handle: async (call, { body }) => {
    checkTimeseries(body.timeseries);
    const scope = await visibleScope(call.db, call.scope);
    return {
      json: await searchJson(call.services.reports, alertTable, scope, body, wholeAlert.names, call.now),
    };
  },
});

export const alertSearchEndpoints: Endpoint[] = [
  contractSearch('action', actionAlert),
  contractSearch('trigger', triggerAlert),
  contractSearch('detector', wholeAlert),
  projectSearch,
  search,
];
