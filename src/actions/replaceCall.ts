import type { SentIntent } from '../store/actions/claimIntents.ts';
import { findSpending, insertAttempts, lockSent, lockSpending } from '../store/actions/signing.ts';
import { openSigner } from '../wallets/signer.ts';
import { signTransaction } from '../wallets/signTransaction.ts';
import { type Acting, validMs } from './acting.ts';
import { bumpFees } from './chooseFees.ts';
import { priceGas } from './priceCall.ts';
import type { Sendable } from './sendAttempts.ts';
import { toEnvelope } from './signCalls.ts';
import { tellOutcomes, toFinding } from './tellOutcomes.ts';
import { marketPrice, voidCall, voidGas } from './voidCall.ts';
import { gasCap, spendingMs, spendLimit } from './walletLimits.ts';

/**
 * Signs the same call under the same number for a higher fee; the chain takes one of both. After its time the call is given
 * up, and what is signed calls nothing. Tells why not when the wallet may not pay more.
 */
export async function replaceCall(
  acting: Acting,
  intent: SentIntent,
): Promise<{ send: Sendable } | { reason: string } | undefined> {
  const { store, chain, transactor, keyring, hsm, now, alerts, reached } = acting;
  const { action, attempts, tenantId, id, address, nonce, signedAt } = intent;
  const { wallet } = action;
  const last = attempts.at(-1)!;
  const isVoid = last.isVoid || now() - signedAt > validMs;
  const cap = gasCap(wallet);
  const before = { maxFee: BigInt(last.maxFee), tip: last.tip === null ? null : BigInt(last.tip) };
  const priced = priceGas(isVoid ? { ...action, ...marketPrice } : action, await transactor.fees());
  if ('reason' in priced && priced.isFinal) return { reason: priced.reason };
  const market = 'price' in priced ? priced.price : undefined;
  const price = bumpFees(before, market, cap, isVoid && !last.isVoid);
  if (!price) {
    const reason = `It waits for a cheaper block: the wallet may not pay more than ${wallet.maxGasPrice} gwei for gas.`;
    return cap === undefined ? undefined : { reason };
  }
  const call = isVoid ? voidCall(address) : intent.call;
  // Either may be mined.
  const gas = Math.max(Number(intent.call.gasLimit), isVoid ? voidGas : 0);
  const cost = BigInt(gas) * price.maxFee;
  const attempt = attempts.length + 1;
  const signer = await openSigner({ db: store, keyring, hsm }, { tenantId, walletId: wallet.id }, address);
  const { hash, raw } = await signTransaction(signer, toEnvelope(chain.chainId!, nonce, call, price));
  const at = now();
  const finding = toFinding(intent, { outcome: 'replaced', at, address, txHash: hash, nonce, attempt });
  await alerts.prepare([finding]);
  await reached('before it is replaced');
  const outcome = await store.transaction(async (tx) => {
    if (!(await lockSent(tx, intent, last.hash))) return undefined;
    await lockSpending(tx, { tenantId, walletId: wallet.id });
    const { spent } = await findSpending(tx, { tenantId, walletId: wallet.id }, at - spendingMs, id);
    const limit = spendLimit(wallet, chain);
    if (limit !== undefined && spent + cost > limit)
      return {
        reason: 'It waits for a cheaper block: the wallet may not spend more on gas within this hour.',
      };
    await insertAttempts(tx, [{ tenantId, id, attempt, hash, raw, ...price, isVoid, cost }], at);
    await tellOutcomes(tx, acting, [finding]);
    await reached('while it is replaced');
    return { send: { intent, address, nonce, attempt, hash, raw, signedAt } };
  });
  await reached('after it was replaced');
  return outcome;
}
