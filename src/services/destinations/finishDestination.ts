import { findConfirmation } from '../../store/destinations/confirmations.ts';
import { renewDestination } from '../../store/destinations/destinationHealth.ts';
import type { destinationTable } from '../../store/destinations/destinationTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';
import { mailConfirmation } from './confirmDestination.ts';

/** What says where a destination leads. */
const whereabouts = ['type', 'value', 'uri', 'messengerBUri', 'messengerAChatId'] as const;

/** A destination with a new receiver is tried again, whatever its previous state. */
export async function finishDestination(
  call: Call,
  { input, current, tenantId }: ChangeOf<typeof destinationTable>,
  id: number,
): Promise<void> {
  if (tenantId === null) return;
  const isMoved =
    current && whereabouts.some((name) => input[name] !== undefined && input[name] !== current[name]);
  if (isMoved) await renewDestination(call.db, { tenantId, id });
  const type = input.type ?? current?.type;
  const to = input.value ?? current?.value;
  if ((current && !isMoved) || type !== 'EMAIL' || typeof to !== 'string' || !call.services.mail) return;
  const { confirmedAt } = await findConfirmation(call.db, { tenantId, id });
  if (confirmedAt === null) await mailConfirmation(call, { tenantId, id }, to);
}
