import type { ChainUid } from '../../chains/chains.ts';
import type { IntentState } from '../../model/action.ts';
import { type IntentRecord, type IntentWait, searchIntents } from '../../store/actions/intentLog.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from '../contracts/noEndpoint.ts';

type Search = { from: number; size: number; state?: IntentState | undefined; uid?: string };

/** The intents of an action, newest first; whatever is under way says what it waits for. */
export async function readIntents(
  call: Call,
  action: { tenantId: number; id: number },
  search: Search,
): Promise<IntentRecord[]> {
  const found = await searchIntents(call.db, action, search);
  return found.map(({ wait, ...intent }) => ({
    ...intent,
    reason: intent.reason ?? (wait && waitReason(call, intent, wait)),
  }));
}

function waitReason({ services }: Call, intent: IntentRecord, wait: IntentWait): string {
  const { head, confirmed, chainUid } = wait;
  if (intent.state === 'SIGNED') return 'It is signed and waits to be sent.';
  if (intent.state === 'SUBMITTED')
    return wait.lowestNonce !== null && intent.nonce !== null && wait.lowestNonce < intent.nonce
      ? `It was sent and waits for its turn: the wallet's transaction with the nonce ${wait.lowestNonce} is not mined yet.`
      : 'It was sent and waits to be mined.';
  if (!wait.mayFire) return 'Actions of the tenant are halted, or the tenant is not active.';
  if (!wait.isDeep && (head === null || confirmed === null))
    return `It waits for confirmations of the alert's block, but ${wait.alertChainUid} is not watched.`;
  if (!wait.isDeep)
    return `It waits for confirmations of the alert's block: ${Math.max(0, head! - intent.blockNumber!)} of ${head! - confirmed!}.`;
  if (!services.chains.client(chainUid as ChainUid)) return `It waits for the chain. ${noEndpoint(chainUid)}`;
  return 'It waits for its turn.';
}
