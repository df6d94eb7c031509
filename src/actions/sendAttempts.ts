import type { Broadcast } from '../chains/transactor.ts';
import { messageOf } from '../lib/messageOf.ts';
import type { ToldIntent } from '../store/actions/claimIntents.ts';
import {
  markBroadcast,
  markSubmitted,
  type Postponed,
  postponeIntents,
} from '../store/actions/settleIntents.ts';
import { type Acting, paceMs } from './acting.ts';
import { tellOutcomes, toFinding } from './tellOutcomes.ts';

/** Something that is signed and stored, and so may be sent any number of times. */
export type Sendable = {
  intent: ToldIntent;
  address: string;
  nonce: number;
  attempt: number;
  hash: string;
  raw: string;
  signedAt: number;
};

/** Sends what was signed, the lowest numbers first, and tells of what was not told of yet. */
export async function sendAttempts(acting: Acting, sendables: readonly Sendable[]): Promise<void> {
  if (sendables.length === 0) return;
  const { store, transactor, now, reached, alerts } = acting;
  const inOrder = sendables.toSorted((one, other) => one.nonce - other.nonce);
  await reached('before it is sent');
  let outcomes: Broadcast[];
  try {
    outcomes = await transactor.broadcast(inOrder.map(({ raw }) => raw));
  } catch (error) {
    // Some of it may have been taken; whether it was is seen when it is looked for.
    await postponeIntents(
      store,
      inOrder.map(later(now() + 1000, `The chain does not answer: ${messageOf(error)}`)),
    );
    return;
  }
  await reached('after it was sent');
  const at = now();
  // "Used already" and "replaces nothing" are said of our own transactions, because nobody else has this number.
  const taken = inOrder.filter((_, place) => outcomes[place]?.outcome !== 'refused');
  const refused = inOrder.flatMap((sendable, place) => {
    const outcome = outcomes[place];
    return outcome?.outcome === 'refused'
      ? [later(at + 2000, `The node refuses it: ${outcome.reason}`)(sendable)]
      : [];
  });
  const findings = taken.map(({ intent, address, hash, nonce, signedAt }) =>
    toFinding(intent, { outcome: 'submitted', at: signedAt, address, txHash: hash, nonce }),
  );
  await alerts.prepare(findings);
  await store.transaction(async (tx) => {
    const fresh = await markSubmitted(tx, taken.map(toKey), at);
    await tellOutcomes(
      tx,
      acting,
      findings.filter((_, place) => fresh.has(taken[place]!.intent.id)),
    );
    await markBroadcast(
      tx,
      taken.map((sendable) => ({ ...toKey(sendable), attempt: sendable.attempt })),
      at,
    );
    await postponeIntents(tx, [...taken.map(later(at + paceMs(acting))), ...refused]);
    await reached('while it is marked as sent');
  });
  await reached('after it was marked as sent');
}

function toKey({ intent }: Sendable) {
  return { tenantId: intent.tenantId, id: intent.id };
}

function later(at: number, reason?: string): (sendable: Sendable) => Postponed {
  return (sendable) => ({ ...toKey(sendable), at, ...(reason ? { reason } : {}) });
}
