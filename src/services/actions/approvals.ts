import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../model/errors.ts';
import type { Role } from '../../model/principal.ts';
import { findRights } from '../../store/accounts/users.ts';
import {
  countPending,
  lockApproval,
  type StoredApproval,
  settleApproval,
} from '../../store/actions/approvals.ts';
import { findRecord, insertRecord, type Row, reserveId } from '../../store/records/records.ts';
import { approvalTable } from '../../store/tables/approvalTable.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { checkOwnKey } from './checkApprover.ts';
import type { Held } from './findChanges.ts';

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
  'changes',
  'requestedBy',
  'decidedBy',
] as const;

/** A request that is not approved within this time expires. */
const approvalTtlMs = 24 * 3_600_000;
const maxPendingApprovals = 200;
/** Characters of what one request changes. */
const maxShown = 1_000_000;

/** Stores the request until another user decides on it. */
export async function requestApproval(
  call: Call,
  { changes, wallets: [wallet] }: Held,
  { input, ...shown }: HeldRequest,
): Promise<Row> {
  const { tenantId } = wallet;
  const { userId } = call.principal;
  if (userId === null)
    throw new Problem(
      'forbidden',
      `The wallet ${wallet.name} asks for a second user, and this token belongs to no user, so that no one could tell who is the first: send the request as a user of the tenant.`,
    );
  await checkOwnKey(call);
  if ((await countPending(call.db, tenantId, call.now)) >= maxPendingApprovals)
    throw new Problem(
      'conflict',
      `${maxPendingApprovals} requests of the tenant wait for an approval; approve or reject some of them first.`,
    );
  if (JSON.stringify(changes).length > maxShown)
    throw new Problem(
      'conflict',
      'The request changes more at once than someone who approves it could read: change less at a time.',
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
    requestedBy: userId,
    changes,
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

/** A request is worth no more than its sender, who must still be there and allowed to send it. */
export async function checkRequester(
  call: Call,
  { requestedBy }: Pick<StoredApproval, 'requestedBy'>,
  isEnough: (role: Role) => boolean,
): Promise<void> {
  if (requestedBy === null) return;
  const rights = await findRights(call.db, requestedBy);
  if (rights?.roles.some((role) => role === 'admin' || isEnough(role))) return;
  throw new Problem(
    'conflict',
    'The user who sent the request is gone or disabled, or may not send it any more: reject it, and send it again yourself.',
  );
}

/** The executed request must be the one that the approver saw. */
export function checkUnchanged({ changes }: StoredApproval, held: Held | undefined): Held {
  const present = held && JSON.parse(JSON.stringify(held.changes));
  if (held && isDeepStrictEqual(present, changes)) return held;
  throw new Problem(
    'conflict',
    'The records that the request is about have changed since it was sent, so it would do something else than it shows: reject it and send it again.',
  );
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
