import { type Fault, Problem, unprocessable } from '../../model/errors.ts';
import {
  deleteStaleAnswers,
  findShares,
  findTenantIds,
  type Share,
  updateShare,
} from '../../store/contracts/shares.ts';
import type { Row } from '../../store/records/records.ts';
import type { projectTable } from '../../store/tables/projectTable.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import type { ChangeOf } from '../records/recordKind.ts';

type ProjectChange = ChangeOf<typeof projectTable>;

/** A project is offered only to tenants that exist; those that it was offered to before may be gone since. */
export async function prepareProject(call: Call, { input, current }: ProjectChange): Promise<Row> {
  const ids = input.viewTenantIds ?? [];
  const before = current?.viewTenantIds ?? [];
  const added = ids.filter((id) => !before.includes(id));
  if (added.length === 0) return input;
  const tenants = await findTenantIds(call.db, added);
  const faults = ids.flatMap((id, index): Fault[] =>
    before.includes(id) || tenants.has(id)
      ? []
      : [
          {
            pointer: `/viewTenantIds/${index}`,
            code: 'unknown-reference',
            message: `There is no tenant with the id ${id}.`,
          },
        ],
  );
  if (faults.length > 0) {
    const detail = faults.map(({ pointer, message }) => `${pointer}: ${message}`).join(' ');
    throw new Problem('unprocessable', detail, { errors: faults });
  }
  return input;
}

export async function finishProject(call: Call, change: ProjectChange, id: number): Promise<void> {
  if (change.current && change.input.viewTenantIds !== undefined && change.tenantId !== null)
    await deleteStaleAnswers(call.db, change.tenantId, id);
}

export async function listShares(call: Call, tenantId: number | undefined): Promise<Share[]> {
  return findShares(call.db, viewerOf(call, tenantId));
}

/** Accepting lets the tenant see the project from now on; declining one that was accepted leaves it. */
export async function respondToShare(
  call: Call,
  { projectId, tenantId: named }: { projectId: number; tenantId?: number | undefined },
  answer: 'ACCEPTED' | 'DECLINED',
): Promise<Share> {
  const tenantId = viewerOf(call, named);
  const updated = await updateShare(call.db, { tenantId, projectId }, answer);
  const share =
    updated && (await findShares(call.db, tenantId)).find((candidate) => candidate.projectId === projectId);
  if (!share) throw new Problem('not-found', 'There is no such share.');
  const verb = answer === 'ACCEPTED' ? 'accept' : 'decline';
  await audit(call, 'share', verb, { id: projectId, tenantId }, undefined, undefined);
  const owner = { id: projectId, tenantId: share.ownerTenantId };
  await audit(call, 'project', `share-${verb}`, owner, undefined, undefined, { viewTenantId: tenantId });
  return share;
}

/** The caller's tenant; only an administrator names another. */
function viewerOf({ principal, scope }: Call, named: number | undefined): number {
  const tenantId = named ?? principal.tenantId;
  if (tenantId !== null && (scope.all || scope.tenantIds.includes(tenantId))) return tenantId;
  throw unprocessable(
    '/tenantId',
    tenantId === null ? 'required' : 'unknown-reference',
    tenantId === null
      ? 'You belong to no tenant, so `tenantId` must name the one that the project is shared with.'
      : 'There is no tenant with this id.',
  );
}
