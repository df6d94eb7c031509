import type { IntendedCall } from '../model/action.ts';
import type { WaitingIntent } from '../store/actions/claimIntents.ts';
import {
  findSpending,
  insertAttempts,
  lockLane,
  lockSpending,
  lockWaiting,
  markSigned,
  moveLane,
  type SignedAttempt,
  type SignedIntent,
} from '../store/actions/signing.ts';
import { openSigner } from '../wallets/signer.ts';
import { type Envelope, signTransaction } from '../wallets/signTransaction.ts';
import type { Acting } from './acting.ts';
import type { GasPrice } from './chooseFees.ts';
import type { Sendable } from './sendAttempts.ts';
import { spendingMs, spendLimit } from './walletLimits.ts';
import { whyNotPay } from './whyNotPay.ts';

/** A call that may be made, as far as the chain can tell. */
export type Fireable = { intent: WaitingIntent; call: IntendedCall; price: GasPrice };

export type Signing = {
  sendables: Sendable[];
  /** What the wallet cannot or must not pay. */
  refused: { intent: WaitingIntent; reason: string }[];
  /** The chain seems to have gone back; nothing is signed until that is certain. */
  isBehind: boolean;
};

/** How long a chain must say that fewer numbers were used than we know of, until it is believed. */
const behindMs = 30_000;
/** After this time it counts as said anew; in between somebody may have looked and seen that all is well. */
const behindForgottenMs = 600_000;

/** Gives each call of one wallet its number, signs and stores it: in one transaction, alone on the wallet's lane. */
export async function signCalls(
  acting: Acting,
  fireables: readonly Fireable[],
  seen: { nextNonce: number; balance: bigint },
): Promise<Signing> {
  const { store, chain, names, keyring, hsm, now, reached } = acting;
  const { tenantId, action } = fireables[0]!.intent;
  const { wallet } = action;
  const lane = { names, address: wallet.address };
  return store.transaction(async (tx) => {
    const at = now();
    const { nextNonce, behindSince, isIdle } = await lockLane(tx, lane, seen.nextNonce);
    const isBehind = isIdle && seen.nextNonce < nextNonce;
    const since = behindSince !== null && at - behindSince < behindForgottenMs ? behindSince : at;
    if (isBehind && at - since < behindMs) {
      await moveLane(tx, lane, nextNonce, since);
      return { sendables: [], refused: [], isBehind };
    }
    const open = await lockWaiting(
      tx,
      tenantId,
      fireables.map(({ intent }) => intent.id),
    );
    await lockSpending(tx, { tenantId, walletId: wallet.id });
    const budget = await findSpending(tx, { tenantId, walletId: wallet.id }, at - spendingMs);
    const limit = spendLimit(wallet, chain);
    const signer = await openSigner(
      { db: tx, keyring, hsm },
      { tenantId, walletId: wallet.id },
      wallet.address,
    );
    let nonce = isBehind ? seen.nextNonce : Math.max(nextNonce, seen.nextNonce);
    const refused: Signing['refused'] = [];
    const signed: { intent: WaitingIntent; row: SignedIntent; attempt: SignedAttempt }[] = [];
    for (const { intent, call, price } of fireables) {
      if (!open.has(intent.id)) continue;
      const cost = BigInt(call.gasLimit) * price.maxFee;
      const reason = whyNotPay(chain.currency, cost, budget, seen.balance, limit);
      if (reason) {
        refused.push({ intent, reason });
        continue;
      }
      const { hash, raw } = await signTransaction(signer, toEnvelope(chain.chainId!, nonce, call, price));
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
    await moveLane(tx, lane, signed.length > 0 || !isBehind ? nonce : nextNonce, null);
    await reached('while it is signed');
    return {
      sendables: signed.map(({ intent, row, attempt: { attempt, hash, raw } }) => ({
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

export function toEnvelope(
  chainId: number,
  nonce: number,
  { to, data, gasLimit }: { to: string; data: string; gasLimit: string },
  { maxFee, tip }: GasPrice,
): Envelope {
  const common = {
    chainId,
    nonce: BigInt(nonce),
    to: to as `0x${string}`,
    data: data as `0x${string}`,
    gas: BigInt(gasLimit),
    value: 0n,
  };
  return tip === null
    ? { ...common, type: 'legacy', gasPrice: maxFee }
    : { ...common, type: 'eip1559', maxFeePerGas: maxFee, maxPriorityFeePerGas: tip };
}
