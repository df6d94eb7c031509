import { nearest } from '../../lib/nearest.ts';
import { type Fault, invalid, Problem, unprocessable } from '../../model/errors.ts';
import { isManager } from '../../model/principal.ts';
import { invalidInput } from '../../model/validate.ts';
import type { Row } from '../../store/records/records.ts';
import { checkSearchQuery } from '../../store/search/checkSearchQuery.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import type { RecordOf } from '../../store/tables/table.ts';
import type { viewTable } from '../../store/tables/viewTable.ts';
import type { Call } from '../call.ts';
import { checkNames } from '../destinations/checkBindingFilters.ts';
import type { ChangeOf } from '../records/recordKind.ts';

/** A view is of who makes it; only its owner and managers of the tenant change it, and viewers share none. */
export function prepareView(call: Call, { input, current, tenantId }: ChangeOf<typeof viewTable>): Row {
  if (current) refuseOthers(call, current);
  const { userId, tenantId: callerTenantId } = call.principal;
  const ownerId = current ? current.ownerId : callerTenantId === tenantId ? userId : null;
  const isShared = input.shared ?? current?.shared ?? false;
  const mayShare = isManager(call.principal) || call.principal.roles.includes('tenant-user');
  if (isShared && !current?.shared && !mayShare)
    throw new Problem('forbidden', 'Sharing a view needs the role tenant-user, or a higher one.');
  if (!isShared && ownerId === null)
    throw unprocessable('/shared', 'no-owner', 'Your token has no user of the tenant, so it must be true.');
  checkMembers(call, input, current?.query);
  return current ? input : { ...input, tenantId, ownerId };
}

export function refuseOthers({ principal }: Call, { ownerId }: RecordOf<(typeof viewTable)['fields']>): void {
  const isOwn = principal.userId !== null && ownerId === principal.userId;
  if (!isOwn && !isManager(principal))
    throw new Problem('forbidden', 'Only its owner or a manager of the tenant may change this view.');
}

type Members = { query?: string; columns?: string[]; timeRange?: string | null };

function checkMembers(
  call: Call,
  { query, columns = [], timeRange }: Members,
  stored: string | undefined,
): void {
  const [from = 0, to = 0] = timeRange?.includes('-') ? timeRange.split('-').map(Number) : [];
  if (from > to) throw invalid('/timeRange', 'order', 'must not end before it begins.');
  const names = [...alertTable.columns.keys()];
  const faults = columns.flatMap((column, index): Fault[] => {
    const [first = ''] = column.split('.');
    if (names.includes(column) || (first === 'meta' && column.length > 'meta.'.length)) return [];
    const closest = nearest(column, names);
    const message = `is no member of alerts${closest ? `; did you mean ${closest}?` : '.'}`;
    return [{ pointer: `/columns/${index}`, code: 'unknown-field', message }];
  });
  if (faults.length > 0) throw invalidInput(faults);
  if (!query?.trim()) return;
  checkSearchQuery(query, '/query', call.now);
  checkNames(call, query, '/query', [stored]);
}
