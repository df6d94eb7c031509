import { appendAudit } from '../../store/records/audit.ts';
import type { Call, SecurityEvent, Services } from '../call.ts';

/**
 * Records a security event without a record change, such as a failed login, with its caller and address. Written in a
 * separate transaction at the end of the request, so it survives a refusal.
 */
export function auditSecurityEvent(call: Pick<Call, 'securityEvents'>, event: SecurityEvent): void {
  call.securityEvents.push(event);
}

export async function writeSecurityEvents(
  { store, keyring }: Pick<Services, 'store' | 'keyring'>,
  request: { id: string; ip: string },
  events: readonly SecurityEvent[],
  now: number,
): Promise<void> {
  await store.transaction(async (tx) => {
    for (const { action, tenantId, userId, details } of events)
      await appendAudit(tx, keyring.audit, {
        at: now,
        requestId: request.id,
        tenantId,
        actor: { tokenId: null, tokenKind: 'NONE', userId, address: request.ip },
        action,
        record: { kind: action.split('.')[0]!, id: null },
        changes: details,
      });
  });
}
