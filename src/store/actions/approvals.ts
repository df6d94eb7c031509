import { sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db.ts';
import { walletTable } from '../wallets/walletTable.ts';

/** The records that a request changes, as far as they may need an approval. */
export type TouchedRecords = { walletIds?: number[]; actionIds?: number[]; detectorIds?: number[] };

export type GuardedWallet = { id: number; tenantId: number; name: string };

/** A wallet that requires a second user to approve a change of these records; undefined when none does. */
export async function findGuardedWallet(
  db: Db,
  scope: Scope,
  { walletIds = [], actionIds = [], detectorIds = [] }: TouchedRecords,
): Promise<GuardedWallet | undefined> {
  const rows = await db.prepared<GuardedWallet>(
    sql`select t.id, t.tenant_id as "tenantId", t.name from wallet t
      where t.require_approval and t.status <> 'DELETED' and ${walletTable.visible(scope)}
        and (t.id = any(${walletIds}::bigint[]) or exists (
          select from action x where x.tenant_id = t.tenant_id and x.wallet_id = t.id and x.status <> 'DELETED'
            and (x.id = any(${actionIds}::bigint[]) or exists (
              select from action_detector b where b.tenant_id = x.tenant_id and b.action_id = x.id
                and b.detector_id = any(${detectorIds}::bigint[])))))
      order by t.id limit 1`,
  );
  return rows[0];
}

export type StoredApproval = {
  id: number;
  tenantId: number;
  state: string;
  expiresAt: number;
  method: string;
  path: string;
  requestedBy: number | null;
  sealedRequest: Buffer;
};

/** The request, locked until the transaction ends, so that it is decided once. */
export async function lockApproval(tx: Db, scope: Scope, id: number): Promise<StoredApproval | undefined> {
  const isVisible = scope.all ? sql`true` : sql`t.tenant_id = any(${scope.tenantIds})`;
  const rows = await tx.query<StoredApproval>(
    sql`select t.id, t.tenant_id as "tenantId", t.state, t.expires_at as "expiresAt", t.method, t.path,
        t.requested_by as "requestedBy", t.sealed_request as "sealedRequest"
      from approval t where t.id = ${id} and ${isVisible} for update`,
  );
  return rows[0];
}

export async function settleApproval(
  tx: Db,
  { tenantId, id }: { tenantId: number; id: number },
  state: 'APPROVED' | 'REJECTED',
  decidedBy: number | null,
  now: number,
): Promise<void> {
  await tx.query(
    sql`update approval set state = ${state}, decided_by = ${decidedBy}, updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

export async function countPending(db: Db, tenantId: number, now: number): Promise<number> {
  const rows = await db.query<{ count: number }>(
    sql`select count(*) as count from approval
      where tenant_id = ${tenantId} and state = 'PENDING' and expires_at > ${now}`,
  );
  return rows[0]?.count ?? 0;
}

export async function expireApprovals(db: Db, now: number): Promise<void> {
  await db.query(
    sql`update approval set state = 'EXPIRED', updated_at = ${now} where state = 'PENDING' and expires_at <= ${now}`,
  );
}
