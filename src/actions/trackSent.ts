import type { Mined, Progress } from '../chains/transactor.ts';
import { type Attempt, claimSent, type SentIntent } from '../store/actions/claimIntents.ts';
import { fillerBinding } from '../store/actions/fillers.ts';
import { type Postponed, postponeIntents } from '../store/actions/settleIntents.ts';
import { findContractAbi } from '../store/contracts/contractAbi.ts';
import { type Acting, paceMs } from './acting.ts';
import { type Ending, endIntents } from './endIntents.ts';
import { explainRevert } from './explainRevert.ts';
import { fillGap } from './fillGap.ts';
import { replaceCall } from './replaceCall.ts';
import { type Sendable, sendAttempts } from './sendAttempts.ts';
import { settleAll } from './settleAll.ts';
import { toFinding } from './tellOutcomes.ts';

const mostAtOnce = 200;
/** A node may have forgotten what it took. */
const resendMs = 15_000;

/** Looks how far everything has come that was signed; tells how many there were. */
export async function trackSent(acting: Acting): Promise<number> {
  const { store, chain, names, transactor, now, reached } = acting;
  const claimed = await claimSent(store, chain.uid, names, mostAtOnce, now());
  if (claimed.length === 0) return 0;
  const hashes = claimed.flatMap(({ attempts }) => attempts.map(({ hash }) => hash));
  await reached('before receipts are read');
  let progress: Progress;
  try {
    progress = await transactor.progress(hashes);
  } catch (error) {
    await postponeIntents(
      store,
      claimed.map((intent) => ({ ...keyOf(intent), at: now() + paceMs(acting) })),
    );
    throw error;
  }
  await reached('after receipts were read');
  const mined = new Map(hashes.map((hash, place) => [hash, progress.mined[place] ?? null]));
  const endings: Ending[] = [];
  const postponed: Postponed[] = [];
  const unsent: Sendable[] = [];
  const faults: unknown[] = [];
  for (const intent of claimed) {
    const found = intent.attempts.find(({ hash }) => mined.get(hash));
    const next = found
      ? whenMined(acting, intent, found, mined.get(found.hash)!, progress.head)
      : whenMissing(acting, intent, progress.head);
    const step = await next.catch((error: unknown): Step => {
      faults.push(error);
      return found ? {} : resend(acting, intent);
    });
    if ('ending' in step) endings.push(step.ending);
    else if ('send' in step) unsent.push(step.send);
    else postponed.push({ ...keyOf(intent), at: now() + paceMs(acting), reason: step.reason ?? '' });
  }
  await settleAll([
    endIntents(acting, endings),
    postponeIntents(store, postponed),
    sendAttempts(acting, unsent),
    ...faults.map((fault) => Promise.reject(fault)),
  ]);
  return claimed.length;
}

/** The last one waits, and may say what for. */
type Step = { ending: Ending } | { send: Sendable } | { reason?: string };

async function whenMined(
  { confirmations, transactor, store }: Acting,
  intent: SentIntent,
  { hash, isVoid }: Attempt,
  mined: Mined,
  head: number,
): Promise<Step> {
  const depth = head - mined.blockNumber;
  if (depth < confirmations)
    return {
      reason: `It is in block ${mined.blockNumber} and waits for confirmations: ${Math.max(0, depth)} of ${confirmations}.`,
    };
  const { address, call, nonce, signedAt } = intent;
  const submitted = toFinding(intent, { outcome: 'submitted', at: signedAt, address, txHash: hash, nonce });
  const ending = {
    intent,
    address,
    mined: { txHash: hash, ...mined },
    // Whoever died after sending it has told nobody.
    ...(intent.state === 'SIGNED' ? { before: submitted } : {}),
  };
  if (intent.binding === fillerBinding) return { ending: { ...ending, state: 'CONFIRMED' } };
  if (isVoid)
    return {
      ending: { ...ending, state: 'FAILED', reason: 'It was not mined within 8 hours and was given up.' },
    };
  if (mined.isSuccess) return { ending: { ...ending, state: 'CONFIRMED' } };
  // Not every node can look back; that the call failed is certain either way.
  const reverted = await transactor
    .failure({ from: address, to: call.to, data: call.data }, mined.blockNumber)
    .catch((error: unknown) => ({ reason: `the reason cannot be read (${String(error)})`, data: '0x' }));
  const abi = await findContractAbi(store, intent.tenantId, intent.action.contract.id);
  const why = reverted && explainRevert(reverted, abi);
  return {
    ending: {
      ...ending,
      state: 'FAILED',
      reason: `The call was mined and reverted${why ? `: ${why}` : ''}.`,
    },
  };
}

async function whenMissing(acting: Acting, intent: SentIntent, head: number): Promise<Step> {
  const isStuck = intent.isNext && acting.now() - intent.attempts.at(-1)!.createdAt >= acting.stuckMs;
  const step = isStuck ? await whenStuck(acting, intent, head) : undefined;
  if (step && !('reason' in step)) return step;
  const again = resend(acting, intent);
  return 'send' in again ? again : (step ?? {});
}

/** The same bytes, now and then. */
function resend({ now }: Acting, intent: SentIntent): Step {
  const { address, nonce, signedAt } = intent;
  const last = intent.attempts.at(-1)!;
  const isDue = last.broadcastAt === null || now() - last.broadcastAt >= resendMs;
  return isDue ? { send: { ...last, intent, address, nonce, signedAt } } : {};
}

/** Undefined when nothing can be done but to send it again. */
async function whenStuck(acting: Acting, intent: SentIntent, head: number): Promise<Step | undefined> {
  const { transactor, confirmations } = acting;
  const { address, nonce, attempts, binding } = intent;
  const depth = Math.max(0, head - confirmations);
  const used = await transactor.used(
    address,
    depth,
    attempts.map(({ hash }) => hash),
  );
  if (used.isMined.includes(true)) return {};
  if (used.count > nonce) {
    if (binding === fillerBinding)
      return { ending: { intent, address, state: 'CANCELED', reason: 'The number was used after all.' } };
    const reason = `The number ${nonce} of the wallet was used by a transaction that Vigil did not send, so this call can never be mined. Run the action by hand if it is still wanted, and let nobody else use the wallet.`;
    return { ending: { intent, address, state: 'FAILED', reason } };
  }
  const gap = used.count < nonce ? await fillGap(acting, intent) : undefined;
  return gap ?? replaceCall(acting, intent);
}

function keyOf({ tenantId, id }: SentIntent) {
  return { tenantId, id };
}
