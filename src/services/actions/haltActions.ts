import { Problem } from '../../model/errors.ts';
import { findHaltedAt, haltActions, resumeActions } from '../../store/actions/cancelIntents.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

export type ActionHalt = { tenantId: number; halted: boolean; haltedAt: number | null; canceled: number };

/** From now on no action of the tenant fires; waiting intents are cancelled. */
export async function haltTenant(
  call: Call,
  { tenantId: requested, reason }: { tenantId?: number; reason?: string },
): Promise<ActionHalt> {
  const tenantId = resolveTenantId(call, requested);
  const { canceled } = await haltActions(call.db, tenantId, call.now);
  await audit(call, 'action', 'halt', { id: null, tenantId }, undefined, undefined, {
    canceled,
    ...(reason ? { reason } : {}),
  });
  return { ...(await readHalt(call, tenantId)), canceled };
}

/** Alerts fire actions again. Cancelled intents stay cancelled. */
export async function resumeTenant(
  call: Call,
  { tenantId: requested, reason }: { tenantId?: number; reason?: string },
): Promise<ActionHalt> {
  const tenantId = resolveTenantId(call, requested);
  await resumeActions(call.db, tenantId);
  await audit(
    call,
    'action',
    'resume',
    { id: null, tenantId },
    undefined,
    undefined,
    reason ? { reason } : {},
  );
  return readHalt(call, tenantId);
}

export async function readHalt(call: Call, requested: number | undefined): Promise<ActionHalt> {
  const tenantId = resolveTenantId(call, requested);
  const haltedAt = await findHaltedAt(call.db, tenantId);
  return { tenantId, halted: haltedAt !== null, haltedAt, canceled: 0 };
}

function resolveTenantId({ principal, scope }: Call, requested: number | undefined): number {
  const tenantId = requested ?? principal.tenantId;
  if (tenantId === null)
    throw new Problem('invalid-input', 'Name the tenant: an administrator belongs to none.', {
      errors: [{ pointer: '/tenantId', code: 'required', message: 'must name the tenant.' }],
    });
  if (!scope.all && !scope.tenantIds.includes(tenantId))
    throw new Problem('not-found', 'There is no such tenant.');
  return tenantId;
}
