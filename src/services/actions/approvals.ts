import { Problem } from '../../model/errors.ts';
import {
  countPending,
  type GuardedWallet,
  lockApproval,
  type StoredApproval,
  settleApproval,
} from '../../store/actions/approvals.ts';
import { approvalTable } from '../../store/actions/approvalTable.ts';
import { findRecord, insertRecord, type Row, reserveId } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

/** A request that waits for a second user: its endpoint, the members shown to the approver (`body`) and the whole `input`. */
export type HeldRequest = {
  method: string;
  path: string;
  recordId: number | null;
  body: unknown;
  input: unknown;
};

const approvalNames = [
  'id',
  'createdAt',
  'updatedAt',
  'tenantId',
  'state',
  'expiresAt',
  'walletId',
  'method',
  'path',
  'recordId',
  'body',
  'requestedBy',
  'decidedBy',
] as const;

/** A request that is not approved within this time expires. */
const approvalTtlMs = 24 * 3_600_000;
const maxPendingApprovals = 200;

/** Stores the request until another user decides on it. */
export async function requestApproval(
  call: Call,
  wallet: GuardedWallet,
  { input, ...shown }: HeldRequest,
): Promise<Row> {
  const { tenantId } = wallet;
  if ((await countPending(call.db, tenantId, call.now)) >= maxPendingApprovals)
    throw new Problem(
      'conflict',
      `${maxPendingApprovals} requests of the tenant wait for an approval; approve or reject some of them first.`,
    );
  const id = await reserveId(call.db, approvalTable);
  await insertRecord(call.db, approvalTable, {
    ...shown,
    id,
    tenantId,
    createdAt: call.now,
    updatedAt: call.now,
    expiresAt: call.now + approvalTtlMs,
    walletId: wallet.id,
    requestedBy: call.principal.userId,
    sealedRequest: call.services.keyring.seal(requestRef(tenantId, id), JSON.stringify(input)),
  });
  const record = await readApproval(call, { tenantId, id });
  await audit(call, 'approval', 'create', { id, tenantId }, undefined, record);
  return record;
}

async function readApproval(call: Call, { tenantId, id }: ApprovalKey): Promise<Row> {
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const record = await findRecord(call.db, approvalTable, scope, id, approvalNames);
  if (!record) throw new Error(`The approval ${id} cannot be read back.`);
  return record;
}

type ApprovalKey = { tenantId: number; id: number };

/** The request if it can still be decided, locked until the transaction ends. */
export async function openApproval(call: Call, id: number): Promise<StoredApproval> {
  const approval = await lockApproval(call.db, call.scope, id);
  if (!approval) throw new Problem('not-found', 'There is no such approval.');
  if (approval.state !== 'PENDING')
    throw new Problem('conflict', `The request is ${approval.state.toLowerCase()} already.`);
  if (approval.expiresAt <= call.now)
    throw new Problem('conflict', 'The request was not approved within 24 hours; send it again.');
  return approval;
}

/** The approver must be another user of the tenant; the endpoint of the request checks the role. */
export function checkApprover({ principal }: Call, { requestedBy, tenantId }: StoredApproval): void {
  if (principal.userId === null)
    throw new Problem(
      'forbidden',
      'Only a user can approve, and this token belongs to none: sign in as a user of the tenant.',
    );
  if (principal.tenantId !== tenantId)
    throw new Problem('forbidden', 'Only a user of the same tenant can approve.');
  if (principal.userId === requestedBy)
    throw new Problem('forbidden', 'The request must be approved by another user than the one who sent it.');
}

export async function openRequest(
  { services }: Call,
  { tenantId, id, sealedRequest }: StoredApproval,
): Promise<unknown> {
  return JSON.parse(await services.keyring.unseal(requestRef(tenantId, id), sealedRequest));
}

export async function closeApproval(
  call: Call,
  approval: StoredApproval,
  state: 'APPROVED' | 'REJECTED',
): Promise<Row> {
  await settleApproval(call.db, approval, state, call.principal.userId, call.now);
  const { id, tenantId, requestedBy, method, path } = approval;
  const verb = state === 'APPROVED' ? 'approve' : 'reject';
  const details = { requestedBy, request: `${method} ${path}` };
  await audit(call, 'approval', verb, { id, tenantId }, undefined, undefined, details);
  return readApproval(call, approval);
}

function requestRef(tenantId: number, id: number) {
  return { tenantId, kind: 'approval', id, member: 'request' };
}
