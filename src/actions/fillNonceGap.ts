import type { Signed } from '../chains/transactor.ts';
import { zip } from '../lib/zip.ts';
import { lastAttempt, type SentIntent } from '../store/actions/claimIntents.ts';
import { insertGapFillers, isLowestNonce } from '../store/actions/gapFillers.ts';
import { insertAttempts, lockNonceLane, lockSent, lockSpending } from '../store/actions/signing.ts';
import { openSigner } from '../wallets/openSigner.ts';
import { signTransaction } from '../wallets/signTransaction.ts';
import type { ActionContext } from './actionContext.ts';
import { toUnique } from './place.ts';
import { checkBudget, spendingWindowMs, spendLimit } from './walletLimits.ts';

/** The missing transaction may still arrive within this time, from another node or from the wallet's other user. */
const gapGraceMs = 180_000;
const maxGapFillers = 100;

/**
 * Fills unused nonces below the lowest under way with empty transactions, because such a gap blocks the wallet for
 * good. Returns what the call waits for; undefined without a gap.
 */
export async function fillNonceGap(
  context: ActionContext,
  intent: SentIntent,
): Promise<{ reason: string } | undefined> {
  const { store, chain, aliases, transactor, keyring, hsm, now } = context;
  const { action, tenantId, address, nonce, signedAt } = intent;
  const { wallet } = action;
  if (nonce === null || transactor.replaces !== 'samePlace' || !transactor.lane) return undefined;
  const filler = await transactor.lane.prepareFiller(address, wallet.maxGasPrice);
  const { nextNonce: first, offer } = filler;
  if (first >= nonce) return undefined;
  const reason = `It waits for the nonce ${first} of the wallet, for which the node has no transaction.`;
  const time = now();
  if (time - signedAt < gapGraceMs) return { reason };
  if ('failure' in offer) return { reason: `${reason} ${offer.failure.reason}` };
  if ('reason' in offer) return { reason: `${reason} ${offer.reason}` };
  const { price, cost } = offer;
  const { units, ...call } = transactor.emptyCall(address);
  const walletKey = { tenantId, walletId: wallet.id };
  const lane = { aliases, address };
  return store.transaction(async (tx) => {
    await lockNonceLane(tx, lane, first);
    if (!(await lockSent(tx, intent, lastAttempt(intent).hash)) || !(await isLowestNonce(tx, lane, nonce)))
      return { reason };
    const budget = await lockSpending(tx, walletKey, time - spendingWindowMs);
    const limit = spendLimit(wallet, chain);
    const signer = await openSigner({ db: tx, keyring, hsm }, walletKey, address);
    const signed: { missing: number; transaction: Signed }[] = [];
    for (let missing = first; missing < Math.min(nonce, first + maxGapFillers); missing++) {
      const overBudget = checkBudget(chain, cost, budget, filler, limit);
      if (overBudget && signed.length === 0) return { reason: `${reason} ${overBudget.reason}` };
      if (overBudget) break;
      const slot = { nonce: missing };
      const order = { from: address, call, units, price, place: slot, unique: toUnique(intent.id, missing) };
      signed.push({ missing, transaction: await signTransaction(signer, transactor.build(order)) });
      budget.spent += cost;
      budget.reserved += cost;
    }
    const nonces = signed.map(({ missing }) => missing);
    const intended = { ...call, parameters: [], gasLimit: String(units) };
    const ids = await insertGapFillers(tx, intent, intended, nonces, time);
    await insertAttempts(
      tx,
      zip(ids, signed).map(([id, { transaction }]) => ({
        tenantId,
        id,
        attempt: 1,
        ...transaction,
        ...price,
        isVoid: true,
        cost,
      })),
      time,
    );
    return { reason };
  });
}
