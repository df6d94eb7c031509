import { sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';

export type StoredApproval = {
  id: number;
  tenantId: number;
  createdAt: number;
  state: string;
  expiresAt: number;
  method: string;
  path: string;
  requestedBy: number | null;
  sealedRequest: Buffer;
  /** Null of requests from before changes were kept. */
  changes: unknown[] | null;
};

/** The request, locked until the transaction ends, so that it is decided once. */
export async function lockApproval(tx: Db, scope: Scope, id: number): Promise<StoredApproval | undefined> {
  const isVisible = scope.all ? sql`true` : sql`t.tenant_id = any(${scope.tenantIds})`;
  const rows = await tx.query<StoredApproval>(
    sql`select t.id, t.tenant_id as "tenantId", t.created_at as "createdAt", t.state,
        t.expires_at as "expiresAt", t.method, t.path,
        t.requested_by as "requestedBy", t.sealed_request as "sealedRequest", t.changes
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
