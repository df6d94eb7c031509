import { getChain } from '../../chains/chains.ts';
import type { IntentState } from '../../model/action.ts';
import {
  type FoundIntent,
  type IntentRecord,
  type IntentWait,
  searchIntents,
} from '../../store/actions/intentLog.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from '../contracts/noEndpoint.ts';

type Search = { from: number; size: number; state?: IntentState | undefined; uid?: string };

/** The intents of an action, newest first; those under way have a reason for their wait. */
export async function readIntents(
  call: Call,
  action: { tenantId: number; id: number },
  search: Search,
): Promise<IntentRecord[]> {
  return (await searchIntents(call.db, action, search)).map((intent) => explainWait(call, intent));
}

/** The same for one that was found; what else is known of it stays. */
export function explainWait<Found extends FoundIntent>(call: Call, found: Found): Omit<Found, 'wait'> {
  const { wait, ...intent } = found;
  return { ...intent, reason: intent.reason ?? (wait && waitReason(call, found, wait)) };
}

function waitReason({ services }: Call, intent: IntentRecord, wait: IntentWait): string {
  const { head, confirmed, chainUid } = wait;
  if (intent.state === 'SIGNED') return 'It is signed and waits to be sent.';
  if (intent.state === 'SUBMITTED')
    return wait.lowestNonce !== null && intent.nonce !== null && wait.lowestNonce < intent.nonce
      ? `It was sent and waits: the wallet's transaction with the nonce ${wait.lowestNonce} is not mined yet.`
      : 'It was sent and waits to be mined.';
  if (!wait.mayFire) return 'Actions of the tenant are halted, or the tenant is not active.';
  if (!wait.isDeep) {
    if (head === null || confirmed === null || intent.blockNumber === null)
      return `It waits for confirmations of the alert's block, but ${wait.alertChainUid} is not watched.`;
    const depth = Math.max(0, head - intent.blockNumber);
    return `It waits for confirmations of the alert's block: ${depth} of ${head - confirmed}.`;
  }
  if (!services.chains.client(getChain(chainUid).uid))
    return `It waits for the chain. ${noEndpoint(chainUid)}`;
  return 'It waits in the queue.';
}
