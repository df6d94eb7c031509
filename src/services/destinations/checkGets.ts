import { atMember, invalid, unprocessable } from '../../model/errors.ts';
import { findRecord } from '../../store/records/records.ts';
import { createAlertMatcher } from '../../store/search/createAlertMatcher.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { destinationTable } from '../../store/tables/destinationTable.ts';
import { projectTable } from '../../store/tables/projectTable.ts';
import type { InputOf } from '../../store/tables/table.ts';
import type { Call } from '../call.ts';
import { checkNames } from './checkBindingFilters.ts';

type Gets = InputOf<(typeof destinationTable)['fields']>['gets'];

/** Each rule of what a destination gets has a query that can be matched, and names a project or a contract of the tenant. */
export async function checkGets(call: Call, tenantId: number, gets: Gets, current: Gets): Promise<void> {
  const stored = (current ?? []).map(({ query }) => query);
  for (const [index, { query }] of (gets ?? []).entries()) {
    const pointer = `/gets/${index}/query`;
    if (!query?.trim()) continue;
    atMember(pointer, 'query', () => createAlertMatcher(query, call.now));
    checkNames(call, query, pointer, stored);
  }
  const present = { projectId: idsOf(current, 'projectId'), contractId: idsOf(current, 'contractId') };
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  for (const [index, { projectId = null, contractId = null }] of (gets ?? []).entries()) {
    if (projectId !== null && contractId !== null)
      throw invalid(
        `/gets/${index}/contractId`,
        'contradiction',
        'cannot be given together with `projectId`; leave one of them out.',
      );
    // A deleted record may stay in the list: it gets nothing.
    if (projectId !== null && !present.projectId.has(projectId))
      if (!(await findRecord(call.db, projectTable, scope, projectId, idOnly, { use: 'write' })))
        throw unprocessable(
          `/gets/${index}/projectId`,
          'unknown-reference',
          'There is no project with this id.',
        );
    if (contractId !== null && !present.contractId.has(contractId))
      if (!(await findRecord(call.db, contractTable, scope, contractId, idOnly, { use: 'write' })))
        throw unprocessable(
          `/gets/${index}/contractId`,
          'unknown-reference',
          'There is no contract with this id.',
        );
  }
}

const idOnly = ['id'] as const;

function idsOf(gets: Gets, member: 'projectId' | 'contractId'): Set<number> {
  return new Set((gets ?? []).flatMap((rule) => rule[member] ?? []));
}
