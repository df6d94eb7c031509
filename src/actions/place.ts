import type { Place, SentTransaction } from '../chains/transactor.ts';
import type { SentIntent } from '../store/actions/claimIntents.ts';

/** The place of the attempts of a signed intent. */
export function placeOf({ nonce, inputs }: SentIntent): Place {
  if (nonce !== null) return { nonce };
  return inputs === null ? { anchor: '' } : { inputs };
}

/** The attempts of an intent, as the chain is asked for them. */
export function toSent(intent: SentIntent): SentTransaction[] {
  const slot = placeOf(intent);
  return intent.attempts.map(({ hash, raw, createdAt, validUntil }) => ({
    from: intent.address,
    hash,
    raw,
    place: slot,
    signedAt: createdAt,
    validUntil,
  }));
}

/** Intents are numbered across tenants, and none has this many attempts. */
const maxAttempts = 10_000n;

export function toUnique(intentId: number, attempt: number): bigint {
  return BigInt(intentId) * maxAttempts + BigInt(attempt);
}
