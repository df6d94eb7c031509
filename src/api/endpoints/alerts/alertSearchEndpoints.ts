import type { AlertKind } from '../../../model/alert.ts';
import { Id, Shape } from '../../../model/schema.ts';
import { findReadable } from '../../../services/records/findReadable.ts';
import { alertTable } from '../../../store/search/documents/alertTable.ts';
import { contractScope, projectScope, visibleScope } from '../../../store/search/documents/documentScopes.ts';
import { contractTable } from '../../../store/tables/contractTable.ts';
import { projectTable } from '../../../store/tables/projectTable.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { documentSearch } from '../records/documentSearch.ts';
import { familyQ } from '../records/familyQ.ts';
import { actionAlert, triggerAlert, wholeAlert } from './alertSchemas.ts';

const common = { tag: 'Alerts', body: familyQ, table: alertTable };
const problems = ['invalid-query', 'not-found'] as const;

/** Alerts of one kind of one contract: of actions, triggers and detectors (docs/api-spec.md, Family Q). */
function contractSearch(kind: AlertKind, shape: typeof wholeAlert): Endpoint {
  return documentSearch({
    ...common,
    path: `/contract/{id}/${kind}/alert/search`,
    summary: `Search the ${kind} alerts of a contract`,
    params: Shape({ id: Id('The contract.') }, ['id']),
    shape,
    problems,
    scope: async (call, { id }, probable) => {
      const contract = await findReadable(call, contractTable, id);
      return probable?.tenantIds?.[0] === contract.tenantId ? probable : contractScope(contract, kind);
    },
    // Most contracts that someone asks for are those of the own tenant.
    probable: ({ scope: { all, tenantIds } }, { id }) => {
      const [tenantId, another] = tenantIds;
      const isOne = !all && tenantId !== undefined && another === undefined;
      return isOne ? contractScope({ id, tenantId }, kind) : undefined;
    },
  });
}

export const alertSearchEndpoints: Endpoint[] = [
  contractSearch('action', actionAlert),
  contractSearch('trigger', triggerAlert),
  contractSearch('detector', wholeAlert),
  documentSearch({
    ...common,
    path: '/project/{id}/alert/search',
    summary: 'Search the alerts of a project',
    params: Shape({ id: Id('The project.') }, ['id']),
    shape: wholeAlert,
    problems,
    scope: async (call, { id }) => projectScope(call.db, await findReadable(call, projectTable, id)),
  }),
  documentSearch({
    ...common,
    path: '/alert/search',
    summary: 'Search all alerts that you may see',
    shape: wholeAlert,
    problems: ['invalid-query'],
    scope: (call) => visibleScope(call.db, call.scope),
  }),
];
