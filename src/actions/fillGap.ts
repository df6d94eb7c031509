import type { SentIntent } from '../store/actions/claimIntents.ts';
import { insertFillers, isLowest } from '../store/actions/fillers.ts';
import { findSpending, insertAttempts, lockLane, lockSent, lockSpending } from '../store/actions/signing.ts';
import { openSigner } from '../wallets/signer.ts';
import { signTransaction } from '../wallets/signTransaction.ts';
import type { Acting } from './acting.ts';
import { priceGas } from './priceCall.ts';
import { toEnvelope } from './signCalls.ts';
import { marketPrice, voidCall, voidGas } from './voidCall.ts';
import { spendingMs, spendLimit } from './walletLimits.ts';
import { whyNotPay } from './whyNotPay.ts';

/** For so long what is missing may still come: from another node, or from whoever has signed it. */
const gapMs = 180_000;
const mostAtOnce = 100;

/**
 * Below the lowest number under way, one that nobody uses holds up everything for good: the transaction of somebody else
 * that its pool has dropped, or one of ours that a deep fork took back. Such numbers are used up by transactions that call
 * nothing. Tells what the call waits for; undefined when nothing is missing below it.
 */
export async function fillGap(acting: Acting, intent: SentIntent): Promise<{ reason: string } | undefined> {
  const { store, chain, names, transactor, keyring, hsm, now } = acting;
  const { action, attempts, tenantId, address, nonce, signedAt } = intent;
  const { wallet } = action;
  const { nextNonce: first, fees, balance } = await transactor.prepare(address, []);
  if (first >= nonce) return undefined;
  const reason = `It waits for the number ${first} of the wallet, of which the chain knows nothing.`;
  const at = now();
  if (at - signedAt < gapMs) return { reason };
  const priced = priceGas({ ...action, ...marketPrice }, fees);
  if ('reason' in priced) return { reason: `${reason} ${priced.reason}` };
  const { price } = priced;
  const place = { tenantId, walletId: wallet.id };
  const lane = { names, address };
  const cost = BigInt(voidGas) * price.maxFee;
  return store.transaction(async (tx) => {
    await lockLane(tx, lane, first);
    if (!(await lockSent(tx, intent, attempts.at(-1)!.hash)) || !(await isLowest(tx, lane, nonce)))
      return { reason };
    await lockSpending(tx, place);
    const budget = await findSpending(tx, place, at - spendingMs);
    const limit = spendLimit(wallet, chain);
    const signer = await openSigner({ db: tx, keyring, hsm }, place, address);
    const signed: { nonce: number; hash: string; raw: string }[] = [];
    for (let missing = first; missing < Math.min(nonce, first + mostAtOnce); missing++) {
      const whyNot = whyNotPay(chain.currency, cost, budget, balance, limit);
      if (whyNot && signed.length === 0) return { reason: `${reason} ${whyNot}` };
      if (whyNot) break;
      const envelope = toEnvelope(chain.chainId!, missing, voidCall(address), price);
      signed.push({ nonce: missing, ...(await signTransaction(signer, envelope)) });
      budget.spent += cost;
      budget.reserved += cost;
    }
    const ids = await insertFillers(
      tx,
      intent,
      voidCall(address),
      signed.map((one) => one.nonce),
      at,
    );
    await insertAttempts(
      tx,
      signed.map(({ nonce: missing, hash, raw }) => ({
        tenantId,
        id: ids.get(missing)!,
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
