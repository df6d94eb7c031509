import { appendAudit } from '../../store/records/audit.ts';
import type { Call, SecurityEvent, Services } from '../call.ts';

/**
 * Records something that concerns security but changes no record, such as a failed login: who tried, from which address. It
 * is written when the request ends, in a transaction of its own, so that it stays although the request is refused.
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
