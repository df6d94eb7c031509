import { renewDestination } from '../store/deliveries/destinationHealth.ts';
import type { Call } from './call.ts';
import type { Change } from './recordKind.ts';

/** What says where a destination leads. */
const whereabouts = ['type', 'value', 'uri', 'messengerBUri', 'messengerAChatId'] as const;

/** A destination that leads somewhere else is tried anew, whatever became of it before. */
export async function finishDestination(
  { db }: Call,
  { input, current, tenantId }: Change,
  id: number,
): Promise<void> {
  const isMoved =
    current && whereabouts.some((name) => input[name] !== undefined && input[name] !== current[name]);
  if (isMoved && tenantId !== null) await renewDestination(db, { tenantId, id });
}
