import type { Offer, Place, Prepared } from '../chains/transactor.ts';
import type { IntendedCall } from '../model/action.ts';
import type { WaitingIntent } from '../store/actions/claimIntents.ts';
import {
  insertAttempts,
  lockNonceLane,
  lockSpending,
  lockWaiting,
  markSigned,
  moveNonceLane,
  type NonceLaneKey,
  type SignedAttempt,
  type SignedIntent,
} from '../store/actions/signing.ts';
import type { Db } from '../store/db/db.ts';
import { openSigner } from '../wallets/openSigner.ts';
import { signTransaction } from '../wallets/signTransaction.ts';
import type { ActionContext } from './actionContext.ts';
import { toUnique } from './place.ts';
import type { SignedCall } from './sendAttempts.ts';
import { findTakenInputs } from './takenInputs.ts';
import { checkBudget, spendingWindowMs, spendLimit } from './walletLimits.ts';

/** An intent whose call passed the simulation, with its price. */
export type PricedIntent = { intent: WaitingIntent; call: IntendedCall; offer: Offer };

export type SigningResult = {
  signedCalls: SignedCall[];
  /** Calls that the wallet cannot or may not pay. */
  refused: { intent: WaitingIntent; reason: string; needsFunds: boolean }[];
  /** The node reports fewer used nonces than Vigil has signed; nothing is signed until that is certain. */
  isBehind: boolean;
};

/** A node must report fewer used nonces than Vigil has signed for this long before it is believed. */
const behindMs = 30_000;
/** A report older than this no longer counts: the node may have been right in between. */
const behindResetMs = 600_000;

/** Gives each call of one wallet its place, signs and stores it, in one transaction that holds the places of the wallet. */
export async function signCalls(
  context: ActionContext,
  priced: readonly [PricedIntent, ...PricedIntent[]],
  prepared: Prepared,
): Promise<SigningResult> {
  const { store, chain, transactor, keyring, hsm, now, onStep } = context;
  const { tenantId, action } = priced[0].intent;
  const { wallet } = action;
  const walletKey = { tenantId, walletId: wallet.id };
  return store.transaction(async (tx) => {
    const time = now();
    const places = await lockPlaces(context, tx, wallet.address, prepared, time);
    if (!places) return { signedCalls: [], refused: [], isBehind: true };
    const signable = await lockWaiting(
      tx,
      tenantId,
      priced.map(({ intent }) => intent.id),
    );
    const budget = await lockSpending(tx, walletKey, time - spendingWindowMs);
    const funds = { balance: prepared.balance, ...spendableOf(prepared) };
    const limit = spendLimit(wallet, chain);
    const signer = await openSigner({ db: tx, keyring, hsm }, walletKey, wallet.address);
    const refused: SigningResult['refused'] = [];
    const signed: { intent: WaitingIntent; row: SignedIntent; attempt: SignedAttempt }[] = [];
    for (const { intent, call, offer } of priced) {
      const slot = signable.has(intent.id) ? places.offer(offer) : undefined;
      if (!slot) continue;
      const { units, price, cost } = offer;
      const refusal = checkBudget(chain, cost, budget, funds, limit);
      if (refusal) {
        refused.push({ intent, ...refusal });
        continue;
      }
      const attempt = intent.expiredAttempts + 1;
      const unique = toUnique(intent.id, attempt);
      const order = { from: wallet.address, call, units, price, place: slot, unique };
      const transaction = await signTransaction(signer, transactor.build(order));
      const key = { tenantId, id: intent.id };
      signed.push({
        intent,
        row: { ...key, walletId: wallet.id, ...columnsOf(slot), call },
        attempt: { ...key, attempt, ...transaction, ...price, isVoid: false, cost },
      });
      places.take(slot);
      budget.spent += cost;
      budget.reserved += cost;
      if (funds.spendable !== undefined) funds.spendable -= cost;
    }
    if (signed.length > 0) {
      const rows = signed.map(({ row }) => row);
      await markSigned(tx, rows, wallet.address, time);
      const attempts = signed.map(({ attempt }) => attempt);
      await insertAttempts(tx, attempts, time);
    }
    await places.close(signed.length > 0);
    await onStep('while it is signed');
    return {
      signedCalls: signed.map(({ intent, row, attempt: { attempt, hash, raw } }) => ({
        intent,
        nonce: row.nonce,
        attempt,
        hash,
        raw,
        address: wallet.address,
        signedAt: time,
      })),
      refused,
      isBehind: false,
    };
  });
}

/** The places of a wallet, held until the transaction ends. */
type Places = {
  /** Place of the offered call; undefined when another call has taken it since. */
  offer(offer: Offer): Place | undefined;
  take(slot: Place): void;
  close(hasSigned: boolean): Promise<void>;
};

/** Undefined while the node is behind. */
async function lockPlaces(
  context: ActionContext,
  tx: Db,
  address: string,
  { nextNonce }: Prepared,
  time: number,
): Promise<Places | undefined> {
  const { transactor, aliases } = context;
  if (transactor.replaces === 'afterExpiry')
    return { offer: ({ place: slot }) => slot, take: () => {}, close: async () => {} };
  const lane = { aliases, address };
  if (transactor.lane) return lockNonces(tx, lane, nextNonce, time);
  await lockNonceLane(tx, lane, 0);
  const taken = new Set(await findTakenInputs({ ...context, store: tx }, address));
  return {
    offer: ({ place: slot }) =>
      slot && 'inputs' in slot && !slot.inputs.some((input) => taken.has(input)) ? slot : undefined,
    take(slot) {
      if ('inputs' in slot) for (const input of slot.inputs) taken.add(input);
    },
    close: async () => {},
  };
}

async function lockNonces(
  tx: Db,
  lane: NonceLaneKey,
  next: number | undefined,
  time: number,
): Promise<Places | undefined> {
  if (next === undefined) throw new Error(`The next nonce of ${lane.address} was not read.`);
  const { nextNonce, behindSince, isIdle } = await lockNonceLane(tx, lane, next);
  const isBehind = isIdle && next < nextNonce;
  const since = behindSince !== null && time - behindSince < behindResetMs ? behindSince : time;
  if (isBehind && time - since < behindMs) {
    await moveNonceLane(tx, lane, nextNonce, since);
    return undefined;
  }
  let nonce = isBehind ? next : Math.max(nextNonce, next);
  return {
    offer: () => ({ nonce }),
    take: () => void nonce++,
    close: (hasSigned) => moveNonceLane(tx, lane, hasSigned || !isBehind ? nonce : nextNonce, null),
  };
}

function columnsOf(slot: Place): Pick<SignedIntent, 'nonce' | 'inputs'> {
  return {
    nonce: 'nonce' in slot ? slot.nonce : null,
    inputs: 'inputs' in slot ? slot.inputs : null,
  };
}

function spendableOf({ spendable }: Prepared): { spendable?: bigint } {
  return spendable === undefined ? {} : { spendable };
}
