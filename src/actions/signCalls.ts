import type { IntendedCall } from '../model/action.ts';
import type { WaitingIntent } from '../store/actions/claimIntents.ts';
import {
  insertAttempts,
  lockNonceLane,
  lockSpending,
  lockWaiting,
  markSigned,
  moveNonceLane,
  type SignedAttempt,
  type SignedIntent,
} from '../store/actions/signing.ts';
import { openSigner } from '../wallets/openSigner.ts';
import { signTransaction } from '../wallets/signTransaction.ts';
import type { ActionContext } from './actionContext.ts';
import type { GasPrice } from './chooseFees.ts';
import type { SignedCall } from './sendAttempts.ts';
import { toEnvelope } from './toEnvelope.ts';
import { checkBudget, spendingWindowMs, spendLimit } from './walletLimits.ts';

/** An intent whose call passed the simulation, with its price. */
export type PricedIntent = { intent: WaitingIntent; call: IntendedCall; price: GasPrice };

export type SigningResult = {
  signedCalls: SignedCall[];
  /** What the wallet cannot or may not pay. */
  refused: { intent: WaitingIntent; reason: string; needsFunds: boolean }[];
  /** The node reports fewer used nonces than Vigil has signed; nothing is signed until that is certain. */
  isBehind: boolean;
};

/** A node must report fewer used nonces than Vigil has signed for this long before it is believed. */
const behindMs = 30_000;
/** A report older than this no longer counts: the node may have been right in between. */
const behindResetMs = 600_000;

/** Assigns a nonce to each call of one wallet, signs and stores it, in one transaction that holds the wallet's nonce lane. */
export async function signCalls(
  context: ActionContext,
  priced: readonly [PricedIntent, ...PricedIntent[]],
  chainState: { nextNonce: number; balance: bigint },
): Promise<SigningResult> {
  const { store, chain, aliases, keyring, hsm, now, onStep } = context;
  const { tenantId, action } = priced[0].intent;
  const { wallet } = action;
  const walletKey = { tenantId, walletId: wallet.id };
  const lane = { aliases, address: wallet.address };
  return store.transaction(async (tx) => {
    const at = now();
    const { nextNonce, behindSince, isIdle } = await lockNonceLane(tx, lane, chainState.nextNonce);
    const isBehind = isIdle && chainState.nextNonce < nextNonce;
    const since = behindSince !== null && at - behindSince < behindResetMs ? behindSince : at;
    if (isBehind && at - since < behindMs) {
      await moveNonceLane(tx, lane, nextNonce, since);
      return { signedCalls: [], refused: [], isBehind };
    }
    const signable = await lockWaiting(
      tx,
      tenantId,
      priced.map(({ intent }) => intent.id),
    );
    const budget = await lockSpending(tx, walletKey, at - spendingWindowMs);
    const limit = spendLimit(wallet, chain);
    const signer = await openSigner({ db: tx, keyring, hsm }, walletKey, wallet.address);
    let nonce = isBehind ? chainState.nextNonce : Math.max(nextNonce, chainState.nextNonce);
    const refused: SigningResult['refused'] = [];
    const signed: { intent: WaitingIntent; row: SignedIntent; attempt: SignedAttempt }[] = [];
    for (const { intent, call, price } of priced) {
      if (!signable.has(intent.id)) continue;
      const cost = BigInt(call.gasLimit) * price.maxFee;
      const refusal = checkBudget(chain, cost, budget, chainState.balance, limit);
      if (refusal) {
        refused.push({ intent, ...refusal });
        continue;
      }
      const { hash, raw } = await signTransaction(signer, toEnvelope(chain, nonce, call, price));
      const key = { tenantId, id: intent.id };
      signed.push({
        intent,
        row: { ...key, walletId: wallet.id, nonce, call },
        attempt: { ...key, attempt: 1, hash, raw, ...price, isVoid: false, cost },
      });
      budget.spent += cost;
      budget.reserved += cost;
      nonce++;
    }
    if (signed.length > 0) {
      const rows = signed.map(({ row }) => row);
      await markSigned(tx, rows, wallet.address, at);
      const attempts = signed.map(({ attempt }) => attempt);
      await insertAttempts(tx, attempts, at);
    }
    await moveNonceLane(tx, lane, signed.length > 0 || !isBehind ? nonce : nextNonce, null);
    await onStep('while it is signed');
    return {
      signedCalls: signed.map(({ intent, row, attempt: { attempt, hash, raw } }) => ({
        intent,
        nonce: row.nonce,
        attempt,
        hash,
        raw,
        address: wallet.address,
        signedAt: at,
      })),
      refused,
      isBehind: false,
    };
  });
}
