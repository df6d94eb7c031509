import type { Expiry, Mined, Progress, SamePlaceTransactor } from '../chains/transactor.ts';
import { settleAll } from '../lib/settleAll.ts';
import { zip } from '../lib/zip.ts';
import { type Attempt, claimSent, lastAttempt, type SentIntent } from '../store/actions/claimIntents.ts';
import { gapFillerBinding } from '../store/actions/gapFillers.ts';
import { type PostponedIntent, postponeIntents, reopenExpired } from '../store/actions/settleIntents.ts';
import { findContractAbi } from '../store/contracts/findContractAbi.ts';
import { type ActionContext, maxIntentAge, recheckDelayMs } from './actionContext.ts';
import { apartByTenant, type Ending, endIntents } from './endIntents.ts';
import { actionsOn } from './fillCall.ts';
import { fillNonceGap } from './fillNonceGap.ts';
import { placeOf, toSent } from './place.ts';
import { replaceCall, unwantedReason } from './replaceCall.ts';
import { type SignedCall, sendAttempts, toSubmitted } from './sendAttempts.ts';
import { toAhead } from './termsOf.ts';

const batchSize = 200;
/** Signed transactions are broadcast again after this time, because nodes may drop what they accepted. */
const resendMs = 15_000;

/** Checks the signed transactions: ends those that are confirmed, and resends or replaces the others. Returns how many there were. */
export async function trackSent(context: ActionContext): Promise<number> {
  const { store, chain, aliases, transactor, now, onStep } = context;
  const claimed = await claimSent(store, chain.uid, aliases, batchSize, now());
  if (claimed.length === 0) return 0;
  const sent = claimed.flatMap(toSent);
  await onStep('before receipts are read');
  let progress: Progress;
  try {
    progress = await transactor.progress(sent);
  } catch (error) {
    await postponeIntents(
      store,
      claimed.map((intent) => ({ ...keyOf(intent), at: now() + recheckDelayMs(context) })),
    );
    throw error;
  }
  await onStep('after receipts were read');
  const minedByHash = new Map(zip(sent, progress.mined).map(([{ hash }, mined]) => [hash, mined]));
  const endings: Ending[] = [];
  const postponed: PostponedIntent[] = [];
  const unsent: SignedCall[] = [];
  const mayBeExpired: SentIntent[] = [];
  const expired: SentIntent[] = [];
  const faults: unknown[] = [];
  const settle = (intent: SentIntent, step: Step) => {
    if ('ending' in step) endings.push(step.ending);
    else if ('send' in step) unsent.push(step.send);
    else if ('mayBeExpired' in step) mayBeExpired.push(intent);
    else postponed.push({ ...keyOf(intent), at: now() + recheckDelayMs(context), reason: step.reason ?? '' });
  };
  const take = async (intent: SentIntent, next: Promise<Step>, isMined: boolean) => {
    const step = await next.catch((error: unknown): Step => {
      faults.push(error);
      return isMined ? {} : resend(context, intent);
    });
    settle(intent, step);
  };
  for (const intent of claimed) {
    const [found] = intent.attempts.flatMap((attempt) => {
      const mined = minedByHash.get(attempt.hash);
      return mined ? [{ attempt, mined }] : [];
    });
    const next = found
      ? onMined(context, intent, found, progress.head)
      : onNotMined(context, intent, progress);
    await take(intent, next, found !== undefined);
  }
  // One node alone may be wrong about what has expired, or lie.
  const judged = await findExpired(context, mayBeExpired).catch((error: unknown) => {
    faults.push(error);
    return new Map<string, Expiry>();
  });
  for (const intent of mayBeExpired) {
    const [mined] = intent.attempts.flatMap((attempt) => {
      const expiry = judged.get(attempt.hash);
      return typeof expiry === 'object' ? [{ attempt, ...expiry }] : [];
    });
    if (mined) await take(intent, onMined(context, intent, mined, mined.head), true);
    else if (intent.attempts.every(({ hash }) => judged.get(hash) === 'expired')) expired.push(intent);
    else {
      const again = resend(context, intent);
      settle(intent, 'send' in again ? again : { reason: disagreement });
    }
  }
  await settleAll([
    endIntents(context, endings),
    postponeIntents(store, postponed),
    sendApart(context, unsent),
    reopen(context, expired),
    ...faults.map((fault) => Promise.reject(fault)),
  ]);
  return claimed.length;
}

async function sendApart(context: ActionContext, unsent: readonly SignedCall[]): Promise<void> {
  const groups = await apartByTenant(context.store, unsent);
  await settleAll(groups.map((group) => sendAttempts(context, group)));
}

/** Ends the intent, sends a transaction, starts over, or waits, with or without a reason. */
type Step = { ending: Ending } | { send: SignedCall } | { mayBeExpired: true } | { reason?: string };

/** Nothing that was signed for them can become valid any more. */
async function reopen({ store, now }: ActionContext, expired: readonly SentIntent[]): Promise<void> {
  if (expired.length === 0) return;
  await store.transaction((tx) =>
    reopenExpired(
      tx,
      expired.map((intent) => ({ ...keyOf(intent), lastHash: lastAttempt(intent).hash })),
      now(),
    ),
  );
}

async function findExpired(
  { transactor }: ActionContext,
  intents: readonly SentIntent[],
): Promise<ReadonlyMap<string, Expiry>> {
  if (intents.length === 0 || transactor.replaces !== 'afterExpiry') return new Map();
  const sent = intents.flatMap(toSent);
  const judged = await transactor.findExpired(sent);
  return new Map(zip(sent, judged).map(([{ hash }, expiry]) => [hash, expiry]));
}

const disagreement = 'Not all nodes say that its transaction has expired: it is signed again when they do.';

async function onMined(
  context: ActionContext,
  intent: SentIntent,
  { attempt: { attempt, hash, isVoid }, mined }: { attempt: Attempt; mined: Mined },
  head: number,
): Promise<Step> {
  const { confirmations, transactor, store } = context;
  const depth = head - mined.blockNumber;
  if (depth < confirmations)
    return {
      reason: `It is in block ${mined.blockNumber} and waits for confirmations: ${Math.max(0, depth)} of ${confirmations}.`,
    };
  const { address, call, nonce, signedAt } = intent;
  const submitted = toSubmitted(context, { intent, address, hash, nonce, attempt, signedAt });
  const ending: Omit<Ending, 'state'> = {
    intent,
    address,
    mined: { txHash: hash, ...mined },
    // A process that crashed after sending it has not raised this alert.
    ...(intent.state === 'SIGNED' ? { unreported: submitted } : {}),
  };
  if (intent.binding === gapFillerBinding) return { ending: { ...ending, state: 'CONFIRMED' } };
  if (isVoid && intent.isUnwanted)
    return {
      ending: { ...ending, state: 'CANCELED', reason: `${unwantedReason} An empty call took its place.` },
    };
  if (isVoid)
    return {
      ending: {
        ...ending,
        state: 'FAILED',
        reason: `It was not mined within ${maxIntentAge} and was given up.`,
      },
    };
  if (mined.isSuccess) return { ending: { ...ending, state: 'CONFIRMED' } };
  // Not every node has the state of past blocks; the failure is certain either way.
  const failure = await transactor
    .findFailure(address, call, mined.blockNumber)
    .catch((error: unknown) => ({ reason: `the reason cannot be read (${String(error)})`, data: '0x' }));
  const abi = await findContractAbi(store, intent.tenantId, intent.action.contract.id);
  const why = failure && actionsOn(intent.action.contract.chainUid).explain(failure, abi);
  return {
    ending: {
      ...ending,
      state: 'FAILED',
      reason: `The call was mined and reverted${why ? `: ${why}` : ''}.`,
    },
  };
}

async function onNotMined(
  context: ActionContext,
  intent: SentIntent,
  { head, final }: Progress,
): Promise<Step> {
  const { transactor } = context;
  if (transactor.replaces === 'afterExpiry')
    return hasExpired(intent, final) ? { mayBeExpired: true } : resend(context, intent);
  if (intent.isUnwanted && !lastAttempt(intent).isVoid) {
    const off = await replaceCall(context, transactor, intent);
    if (off) return off;
  }
  if (isOutbid(intent)) {
    const step = await replaceCall(context, transactor, intent);
    if (step && 'send' in step) return step;
  }
  const isStuck = intent.isNext && context.now() - lastAttempt(intent).createdAt >= context.stuckMs;
  const step = isStuck ? await onStuck(context, transactor, intent, head) : undefined;
  if (step && !('reason' in step)) return step;
  const again = resend(context, intent);
  return 'send' in again ? again : (step ?? {});
}

/** True if the pending transaction that it must precede now pays as much. */
function isOutbid(intent: SentIntent): boolean {
  const ahead = toAhead(intent);
  const { maxFee, tip, isVoid } = lastAttempt(intent);
  if (!ahead || isVoid) return false;
  return BigInt(maxFee) <= ahead.maxFee || (tip !== null && ahead.tip !== null && BigInt(tip) <= ahead.tip);
}

/** True if every attempt ends before a block that is final, by the word of one node. */
function hasExpired({ attempts }: SentIntent, final: number | undefined): boolean {
  return attempts.every(({ validUntil }) => validUntil !== null && final !== undefined && validUntil < final);
}

/** Broadcasts the same transaction again once `resendMs` have passed. */
function resend({ now }: ActionContext, intent: SentIntent): { send: SignedCall } | { reason?: string } {
  const { address, nonce, signedAt } = intent;
  const last = lastAttempt(intent);
  const isDue = last.broadcastAt === null || now() - last.broadcastAt >= resendMs;
  return isDue ? { send: { ...last, intent, address, nonce, signedAt } } : {};
}

/** Undefined when it can only be sent again. */
async function onStuck(
  context: ActionContext,
  transactor: SamePlaceTransactor,
  intent: SentIntent,
  head: number,
): Promise<Step | undefined> {
  const { confirmations } = context;
  const { address, nonce, binding } = intent;
  const depth = Math.max(0, head - confirmations);
  const fate = await transactor.findPlace(address, placeOf(intent), depth, toSent(intent));
  if (fate === 'taken') return {};
  if (fate === 'lost') {
    if (binding === gapFillerBinding)
      return { ending: { intent, address, state: 'CANCELED', reason: 'The nonce was used after all.' } };
    const what =
      nonce === null ? 'Coins of the wallet that it spends were' : `The nonce ${nonce} of the wallet was`;
    const reason = `${what} used by a transaction that Vigil did not send, so this call can never be mined. Run the action by hand if it is still needed, and let no one else use the wallet.`;
    return { ending: { intent, address, state: 'FAILED', reason } };
  }
  const gap = fate === 'blocked' ? await fillNonceGap(context, intent) : undefined;
  return gap ?? replaceCall(context, transactor, intent);
}

function keyOf({ tenantId, id }: SentIntent) {
  return { tenantId, id };
}
