import { zip } from '../lib/zip.ts';
import { lastAttempt, type SentIntent } from '../store/actions/claimIntents.ts';
import { insertGapFillers, isLowestNonce } from '../store/actions/gapFillers.ts';
import { insertAttempts, lockNonceLane, lockSent, lockSpending } from '../store/actions/signing.ts';
import { openSigner } from '../wallets/openSigner.ts';
import { signTransaction } from '../wallets/signTransaction.ts';
import type { ActionContext } from './actionContext.ts';
import { priceGas } from './priceCall.ts';
import { emptyCall, emptyCallGas, marketPrice, toEnvelope } from './toEnvelope.ts';
import { checkBudget, spendingWindowMs, spendLimit } from './walletLimits.ts';

/** The missing transaction may still arrive within this time, from another node or from the wallet's other user. */
const gapGraceMs = 180_000;
const maxGapFillers = 100;

/**
 * An unused nonce below the lowest one under way blocks the wallet for good: the mempool dropped a transaction that someone
 * else sent, or a deep fork took back one of ours. Empty transactions fill the gap. Returns what the call waits for;
 * undefined when no nonce is missing below it.
 */
export async function fillNonceGap(
  context: ActionContext,
  intent: SentIntent,
): Promise<{ reason: string } | undefined> {
  const { store, chain, aliases, transactor, keyring, hsm, now } = context;
  const { action, tenantId, address, nonce, signedAt } = intent;
  const { wallet } = action;
  const { nextNonce: first, fees, balance } = await transactor.prepare(address, []);
  if (first >= nonce) return undefined;
  const reason = `It waits for the nonce ${first} of the wallet, for which the node has no transaction.`;
  const at = now();
  if (at - signedAt < gapGraceMs) return { reason };
  const priced = priceGas({ ...action, ...marketPrice }, fees);
  if ('reason' in priced) return { reason: `${reason} ${priced.reason}` };
  const { price } = priced;
  const walletKey = { tenantId, walletId: wallet.id };
  const lane = { aliases, address };
  const cost = BigInt(emptyCallGas) * price.maxFee;
  return store.transaction(async (tx) => {
    await lockNonceLane(tx, lane, first);
    if (!(await lockSent(tx, intent, lastAttempt(intent).hash)) || !(await isLowestNonce(tx, lane, nonce)))
      return { reason };
    const budget = await lockSpending(tx, walletKey, at - spendingWindowMs);
    const limit = spendLimit(wallet, chain);
    const signer = await openSigner({ db: tx, keyring, hsm }, walletKey, address);
    const signed: { missing: number; hash: string; raw: string }[] = [];
    for (let missing = first; missing < Math.min(nonce, first + maxGapFillers); missing++) {
      const overBudget = checkBudget(chain, cost, budget, balance, limit);
      if (overBudget && signed.length === 0) return { reason: `${reason} ${overBudget.reason}` };
      if (overBudget) break;
      const envelope = toEnvelope(chain, missing, emptyCall(address), price);
      signed.push({ missing, ...(await signTransaction(signer, envelope)) });
      budget.spent += cost;
      budget.reserved += cost;
    }
    const nonces = signed.map(({ missing }) => missing);
    const ids = await insertGapFillers(tx, intent, emptyCall(address), nonces, at);
    await insertAttempts(
      tx,
      zip(ids, signed).map(([id, { hash, raw }]) => ({
        tenantId,
        id,
        attempt: 1,
        hash,
        raw,
        ...price,
        isVoid: true,
        cost,
      })),
      at,
    );
    return { reason };
  });
}
