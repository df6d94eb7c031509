import type { SamePlaceTransactor } from '../chains/transactor.ts';
import { lastAttempt, type SentIntent } from '../store/actions/claimIntents.ts';
import { insertAttempts, lockSent, lockSpending } from '../store/actions/signing.ts';
import { openSigner } from '../wallets/openSigner.ts';
import { signTransaction } from '../wallets/signTransaction.ts';
import { type ActionContext, maxIntentAgeMs } from './actionContext.ts';
import { actionsOn } from './fillCall.ts';
import { placeOf, toUnique } from './place.ts';
import { raiseOutcomeAlerts, toOutcomeFinding } from './raiseOutcomeAlerts.ts';
import type { SignedCall } from './sendAttempts.ts';
import { termsOf, toAhead } from './termsOf.ts';
import { spendingWindowMs, spendLimit } from './walletLimits.ts';

export const unwantedReason = 'The pending transaction that it was to come before has vanished.';

/**
 * Signs the same call in the same place with a higher fee; the chain mines one of both. After `maxIntentAgeMs` an empty
 * call replaces it. Returns the reason when the wallet may not pay more.
 */
export async function replaceCall(
  context: ActionContext,
  transactor: SamePlaceTransactor,
  intent: SentIntent,
): Promise<{ send: SignedCall } | { reason: string } | undefined> {
  const { store, chain, keyring, hsm, now, alerts, onStep } = context;
  const { action, attempts, tenantId, id, address, nonce, signedAt } = intent;
  const { wallet } = action;
  const walletKey = { tenantId, walletId: wallet.id };
  const last = lastAttempt(intent);
  const isVoid = last.isVoid || intent.isUnwanted || now() - signedAt > maxIntentAgeMs;
  const { to, data, gasLimit } = intent.call;
  const { units, ...call } = isVoid ? transactor.emptyCall(address) : { to, data, units: BigInt(gasLimit) };
  const slot = placeOf(intent);
  const offer = await transactor.reprice({
    from: address,
    call: { to, data },
    terms: termsOf(action),
    place: slot,
    // The earlier attempts may be mined as well.
    units: BigInt(gasLimit),
    price: { maxFee: BigInt(last.maxFee), tip: last.tip === null ? null : BigInt(last.tip) },
    raw: last.raw,
    isEmpty: isVoid,
    givesUp: isVoid && !last.isVoid,
    ahead: isVoid ? undefined : toAhead(intent),
  });
  if (!offer) return undefined;
  if ('failure' in offer) return { reason: offer.failure.reason };
  if ('reason' in offer) return { reason: offer.reason };
  const { price, cost } = offer;
  const attempt = attempts.length + 1;
  const unique = toUnique(id, attempt);
  const order = { from: address, call, units: isVoid ? units : offer.units, price, place: slot, unique };
  const signer = await openSigner({ db: store, keyring, hsm }, walletKey, address);
  const signed = await signTransaction(signer, transactor.build(order));
  const time = now();
  const finding = toOutcomeFinding(intent, {
    outcome: 'replaced',
    at: time,
    address,
    txHash: signed.hash,
    nonce,
    attempt,
    ...(intent.isUnwanted && { reason: unwantedReason }),
  });
  await alerts.prepare([finding]);
  await onStep('before it is replaced');
  const outcome = await store.transaction(async (tx) => {
    if (!(await lockSent(tx, intent, last.hash))) return undefined;
    const { spent } = await lockSpending(tx, walletKey, time - spendingWindowMs, id);
    const limit = spendLimit(wallet, chain);
    if (limit !== undefined && spent + cost > limit)
      return {
        reason: `It waits for a cheaper block: the wallet may not spend more on ${actionsOn(chain.uid).costName} within this hour.`,
      };
    await insertAttempts(tx, [{ tenantId, id, attempt, ...signed, ...price, isVoid, cost }], time);
    await raiseOutcomeAlerts(tx, context, [finding]);
    await onStep('while it is replaced');
    const { hash, raw } = signed;
    return { send: { intent, address, nonce, attempt, hash, raw, signedAt } };
  });
  await onStep('after it was replaced');
  return outcome;
}
