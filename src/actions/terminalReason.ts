import { claimWaiting, type FiringLane, type WaitingIntent } from '../store/actions/claimIntents.ts';
import { haltedReason } from '../store/actions/insertIntents.ts';
import { maxIntentAge, maxIntentAgeMs, type OutcomeContext } from './actionContext.ts';
import { type Ending, endIntents } from './endIntents.ts';

/** The end of an intent that can never fire, whatever its filter returns; undefined when it still can. */
export function terminalReason(intent: WaitingIntent, now: number, canSend: boolean): Ending | undefined {
  const { action, scripts, stoppedBy } = intent;
  const canceled = (reason: string): Ending => ({ intent, state: 'CANCELED', reason });
  if (stoppedBy === 'status') return canceled('The tenant is no longer active.');
  if (stoppedBy === 'halt') return canceled(haltedReason);
  if (!action.isActive) return canceled('The action or its contract is no longer active.');
  if (!action.wallet.isActive) return canceled('The wallet is no longer active.');
  if (!scripts) return canceled('The action is no longer bound to the source of the alert.');
  if (now - intent.createdAt <= maxIntentAgeMs) return undefined;
  const reason = `It could not be sent within ${maxIntentAge}. ${waitReason(intent, canSend)}`.trim();
  return { intent, state: 'FAILED', reason };
}

function waitReason({ reason, isDeep }: WaitingIntent, canSend: boolean): string {
  if (reason !== null) return reason;
  if (!isDeep)
    return 'The block of its alert was not confirmed in this time: check that the chain of the alert is still watched.';
  return canSend ? '' : 'No endpoint of the chain was configured.';
}

const batchSize = 100;

/** Ends the intents of a lane that can never fire on a chain without an endpoint here; returns how many were claimed. */
export async function endUnfireable(
  context: OutcomeContext,
  chainUid: string,
  lane: FiringLane,
): Promise<number> {
  const time = context.now();
  const filter = { chainUid, lane, canSend: false };
  const claimed = await claimWaiting(context.store, filter, batchSize, time, time - maxIntentAgeMs);
  await endIntents(
    context,
    claimed.flatMap((intent) => terminalReason(intent, time, false) ?? []),
  );
  return claimed.length;
}
