import type { Broadcast } from '../chains/transactor.ts';
import { messageOf } from '../lib/messageOf.ts';
import { zip } from '../lib/zip.ts';
import type { Finding } from '../model/alert.ts';
import type { Intent } from '../store/actions/claimIntents.ts';
import {
  markBroadcast,
  markSubmitted,
  type PostponedIntent,
  postponeIntents,
} from '../store/actions/settleIntents.ts';
import { type ActionContext, recheckDelayMs } from './actionContext.ts';
import { raiseOutcomeAlerts, toOutcomeFinding } from './raiseOutcomeAlerts.ts';

/** A signed and stored transaction, which may be broadcast any number of times. */
export type SignedCall = {
  intent: Intent;
  address: string;
  /** Null on chains without nonces. */
  nonce: number | null;
  attempt: number;
  hash: string;
  raw: string;
  signedAt: number;
};

/** Broadcasts signed transactions, the lowest nonces first, and raises the alerts of those sent for the first time. */
export async function sendAttempts(context: ActionContext, calls: readonly SignedCall[]): Promise<void> {
  if (calls.length === 0) return;
  const { store, transactor, now, onStep, alerts } = context;
  const inOrder = calls.toSorted((left, right) => (left.nonce ?? 0) - (right.nonce ?? 0));
  await onStep('before it is sent');
  let outcomes: Broadcast[];
  try {
    const comesFirst = inOrder.some(({ intent }) => intent.comesFirst);
    outcomes = await transactor.broadcast(
      inOrder.map(({ raw }) => raw),
      comesFirst,
    );
  } catch (error) {
    // The node may have accepted some; tracking finds those.
    await postponeIntents(
      store,
      inOrder.map(postpone(now() + 1000, `The chain does not respond: ${messageOf(error)}`)),
    );
    return;
  }
  await onStep('after it was sent');
  const time = now();
  // `stale` and `underpriced` mean our own transaction, because no one else uses the wallet's nonces.
  const taken: SignedCall[] = [];
  const refused: PostponedIntent[] = [];
  for (const [call, outcome] of zip(inOrder, outcomes)) {
    if (outcome.outcome !== 'refused') taken.push(call);
    else refused.push(postpone(time + 2000, `The node refuses it: ${outcome.reason}`)(call));
  }
  const findings = taken.map((call) => toSubmitted(context, call));
  await alerts.prepare(findings);
  await store.transaction(async (tx) => {
    const fresh = await markSubmitted(tx, taken.map(toKey), time);
    await raiseOutcomeAlerts(
      tx,
      context,
      zip(taken, findings).flatMap(([{ intent }, finding]) => (fresh.has(intent.id) ? [finding] : [])),
    );
    await markBroadcast(
      tx,
      taken.map((call) => ({ ...toKey(call), attempt: call.attempt })),
      time,
    );
    await postponeIntents(tx, [...taken.map(postpone(time + recheckDelayMs(context))), ...refused]);
    await onStep('while it is marked as sent');
  });
  await onStep('after it was marked as sent');
}

/** The alert of a call that was sent: once where attempts replace each other, for each one where they expire. */
export function toSubmitted({ transactor }: ActionContext, call: Omit<SignedCall, 'raw'>): Finding {
  const { intent, address, hash, nonce, signedAt } = call;
  const attempt = transactor.replaces === 'afterExpiry' ? call.attempt : 1;
  return toOutcomeFinding(intent, {
    outcome: 'submitted',
    at: signedAt,
    address,
    txHash: hash,
    nonce,
    attempt,
  });
}

function toKey({ intent }: SignedCall) {
  return { tenantId: intent.tenantId, id: intent.id };
}

function postpone(time: number, reason?: string): (call: SignedCall) => PostponedIntent {
  return (call) => ({ ...toKey(call), at: time, ...(reason ? { reason } : {}) });
}
