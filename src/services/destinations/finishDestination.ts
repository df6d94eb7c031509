import { isDeepStrictEqual } from 'node:util';
import { destinationKinds, isMailed } from '../../destinations/destinationKinds.ts';
import { findConfirmation } from '../../store/destinations/confirmations.ts';
import { resetHealth } from '../../store/destinations/destinationHealth.ts';
import type { destinationTable } from '../../store/tables/destinationTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';
import { mailConfirmation } from './confirmDestination.ts';

/** The members that form the address of a destination. */
const addressMembers = ['type', 'value', 'uri', 'messengerBUri', 'messengerAChatId', 'settings'] as const;

/** Resets the health of a destination with a new address, and mails a confirmation link to a new e-mail address. */
export async function finishDestination(
  call: Call,
  { input, current, tenantId }: ChangeOf<typeof destinationTable>,
  id: number,
): Promise<void> {
  if (tenantId === null) return;
  const isMoved =
    current &&
    addressMembers.some(
      (name) => input[name] !== undefined && !isDeepStrictEqual(input[name], current[name]),
    );
  if (isMoved) await resetHealth(call.db, { tenantId, id });
  const type = input.type ?? current?.type;
  const to = input.value ?? current?.value;
  if (
    (current && !isMoved) ||
    !type ||
    !isMailed(destinationKinds[type]) ||
    typeof to !== 'string' ||
    !call.services.mail
  )
    return;
  const { confirmedAt } = await findConfirmation(call.db, { tenantId, id });
  if (confirmedAt === null) await mailConfirmation(call, { tenantId, id }, to);
}
