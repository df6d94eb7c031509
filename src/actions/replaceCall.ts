import { lastAttempt, type SentIntent } from '../store/actions/claimIntents.ts';
import { insertAttempts, lockSent, lockSpending } from '../store/actions/signing.ts';
import { openSigner } from '../wallets/openSigner.ts';
import { signTransaction } from '../wallets/signTransaction.ts';
import { type ActionContext, maxIntentAgeMs } from './actionContext.ts';
import { bumpFees } from './chooseFees.ts';
import { priceGas } from './priceCall.ts';
import { raiseOutcomeAlerts, toOutcomeFinding } from './raiseOutcomeAlerts.ts';
import type { SignedCall } from './sendAttempts.ts';
import { emptyCall, emptyCallGas, marketPrice, toEnvelope } from './toEnvelope.ts';
import { gasPriceCap, spendingWindowMs, spendLimit } from './walletLimits.ts';

/**
 * Signs the same call with the same nonce and a higher fee; the chain mines one of the two. After `maxIntentAgeMs` the call
 * is given up, and an empty call replaces it. Returns the reason when the wallet may not pay more.
 */
export async function replaceCall(
  context: ActionContext,
  intent: SentIntent,
): Promise<{ send: SignedCall } | { reason: string } | undefined> {
  const { store, chain, transactor, keyring, hsm, now, alerts, onStep } = context;
  const { action, attempts, tenantId, id, address, nonce, signedAt } = intent;
  const { wallet } = action;
  const walletKey = { tenantId, walletId: wallet.id };
  const last = lastAttempt(intent);
  const isVoid = last.isVoid || now() - signedAt > maxIntentAgeMs;
  const cap = gasPriceCap(wallet);
  const before = { maxFee: BigInt(last.maxFee), tip: last.tip === null ? null : BigInt(last.tip) };
  const priced = priceGas(isVoid ? { ...action, ...marketPrice } : action, await transactor.fees());
  if ('reason' in priced && priced.isFinal) return { reason: priced.reason };
  const market = 'price' in priced ? priced.price : undefined;
  const price = bumpFees(before, market, cap, isVoid && !last.isVoid);
  if (!price) {
    const reason = `It waits for a cheaper block: the wallet may not pay more than ${wallet.maxGasPrice} gwei for gas.`;
    return cap === undefined ? undefined : { reason };
  }
  const call = isVoid ? emptyCall(address) : intent.call;
  // Both may be mined, so the larger gas limit counts.
  const gas = Math.max(Number(intent.call.gasLimit), isVoid ? emptyCallGas : 0);
  const cost = BigInt(gas) * price.maxFee;
  const attempt = attempts.length + 1;
  const signer = await openSigner({ db: store, keyring, hsm }, walletKey, address);
  const { hash, raw } = await signTransaction(signer, toEnvelope(chain, nonce, call, price));
  const at = now();
  const finding = toOutcomeFinding(intent, {
    outcome: 'replaced',
    at,
    address,
    txHash: hash,
    nonce,
    attempt,
  });
  await alerts.prepare([finding]);
  await onStep('before it is replaced');
  const outcome = await store.transaction(async (tx) => {
    if (!(await lockSent(tx, intent, last.hash))) return undefined;
    const { spent } = await lockSpending(tx, walletKey, at - spendingWindowMs, id);
    const limit = spendLimit(wallet, chain);
    if (limit !== undefined && spent + cost > limit)
      return {
        reason: 'It waits for a cheaper block: the wallet may not spend more on gas within this hour.',
      };
    await insertAttempts(tx, [{ tenantId, id, attempt, hash, raw, ...price, isVoid, cost }], at);
    await raiseOutcomeAlerts(tx, context, [finding]);
    await onStep('while it is replaced');
    return { send: { intent, address, nonce, attempt, hash, raw, signedAt } };
  });
  await onStep('after it was replaced');
  return outcome;
}
