import type { WaitingIntent } from '../store/actions/claimIntents.ts';
import { haltedReason } from '../store/actions/insertIntents.ts';
import { validMs } from './acting.ts';
import type { Ending } from './endIntents.ts';

/** The end of an intent that cannot be fired any more, whatever its filter says; undefined when it still may. */
export function whyOver(intent: WaitingIntent, now: number, canSend: boolean): Ending | undefined {
  const { action, scripts, stoppedBy } = intent;
  const canceled = (reason: string): Ending => ({ intent, state: 'CANCELED', reason });
  if (stoppedBy === 'status') return canceled('The tenant is not active any more.');
  if (stoppedBy === 'halt') return canceled(haltedReason);
  if (!action.isActive) return canceled('The action or its contract is not active any more.');
  if (!action.wallet.isActive) return canceled('The wallet is not active any more.');
  if (!scripts) return canceled('The action is not bound to the source of the alert any more.');
  if (now - intent.createdAt <= validMs) return undefined;
  return {
    intent,
    state: 'FAILED',
    reason: `It could not be sent within 8 hours. ${whatFor(intent, canSend)}`.trim(),
  };
}

function whatFor({ reason, isDeep }: WaitingIntent, canSend: boolean): string {
  if (reason !== null) return reason;
  if (!isDeep)
    return 'The block of its alert was not confirmed in this time: look whether the chain of the alert is still watched.';
  return canSend ? '' : 'No endpoint of the chain was configured.';
}
