import type { Prepared } from '../chains/transactor.ts';
import { groupBy } from '../lib/groupBy.ts';
import { messageOf } from '../lib/messageOf.ts';
import { settleAll } from '../lib/settleAll.ts';
import { settleWithin } from '../lib/withTimeLimit.ts';
import { zip } from '../lib/zip.ts';
import { takeOverCall } from '../store/actions/cancelIntents.ts';
import { claimWaiting, type FiringLane, type WaitingIntent } from '../store/actions/claimIntents.ts';
import { type PostponedIntent, postponeIntents } from '../store/actions/settleIntents.ts';
import { findContractAbi } from '../store/contracts/findContractAbi.ts';
import { type AlertDocument, findAlertDocuments } from '../store/destinations/findAlertDocuments.ts';
import { type ActionContext, maxIntentAgeMs } from './actionContext.ts';
import { type DecidedCall, type Decisions, decideIntents } from './decideIntents.ts';
import { type Ending, endIntents } from './endIntents.ts';
import { actionsOn } from './fillCall.ts';
import { raiseOutcomeAlerts, toOutcomeFinding } from './raiseOutcomeAlerts.ts';
import { sendAttempts } from './sendAttempts.ts';
import { type PricedIntent, signCalls } from './signCalls.ts';
import { findTakenInputs } from './takenInputs.ts';
import { termsOf, toAhead } from './termsOf.ts';

const batchSize = 50;
/** Few, so that an urgent intent that comes meanwhile does not wait long for its turn. */
const urgentBatchSize = 16;
/** Decided intents are signed after at most this time, while the scripts of others still run. */
const decisionBatchMs = 100;

/** Decides, signs and sends the waiting intents of a lane; returns how many there were. */
export async function fireWaiting(context: ActionContext, lane: FiringLane): Promise<number> {
  const { store, chain, now, onStep } = context;
  const { tenantId, isUrgent } = lane;
  const queue = isUrgent ? context.urgentQueue : context.queue;
  const size = isUrgent ? urgentBatchSize : batchSize;
  const time = now();
  const filter = { chainUid: chain.uid, lane, canSend: true };
  const { claimed, alerts } = await queue.run(tenantId, async () => {
    const claimed = await claimWaiting(store, filter, size, time, time - maxIntentAgeMs);
    return { claimed, alerts: await findAlerts(context, claimed) };
  });
  if (claimed.length === 0) return 0;
  await onStep('after it was claimed');
  const decisions: Decisions = { calls: [], endings: [], faults: [] };
  const deciding = decideIntents(context, claimed, alerts, decisions);
  for (let isDone = false; !isDone; ) {
    isDone = await settleWithin(
      decisionBatchMs,
      deciding.then(() => true),
      () => false,
    );
    const calls = decisions.calls.splice(0).sort((left, right) => left.intent.turn - right.intent.turn);
    const endings = decisions.endings.splice(0);
    if (calls.length + endings.length === 0) continue;
    await onStep('after it was decided');
    await queue
      .run(tenantId, () => fireDecided(context, calls, endings))
      .catch((error: unknown) => {
        decisions.faults.push(error);
      });
  }
  if (decisions.faults.length > 0) throw decisions.faults[0];
  return claimed.length;
}

async function findAlerts(
  { store }: ActionContext,
  intents: readonly WaitingIntent[],
): Promise<Map<string, AlertDocument>> {
  const keys = intents.flatMap(({ tenantId, alertUid: uid, alertTimestamp: timestamp }) =>
    uid === null || timestamp === null ? [] : [{ tenantId, timestamp, uid }],
  );
  const documents = keys.length > 0 ? await findAlertDocuments(store, keys) : [];
  return new Map(documents.map((document) => [document.uid, document]));
}

async function fireDecided(
  context: ActionContext,
  calls: readonly DecidedCall[],
  endings: readonly Ending[],
): Promise<void> {
  const wallets = groupBy(calls, ({ intent }) => intent.action.wallet.id);
  await settleAll([
    endIntents(context, endings),
    ...Array.from(wallets.values(), (walletIntents) => fireWallet(context, walletIntents)),
  ]);
}

/** Fires the calls of one wallet, in their order. */
async function fireWallet(
  context: ActionContext,
  all: readonly [DecidedCall, ...DecidedCall[]],
): Promise<void> {
  const { store, transactor } = context;
  const { wallet } = all[0].intent.action;
  const decided = await withoutTakenOver(context, all);
  if (decided.length === 0) return;
  const requests = decided.map(({ intent, to, data }) => ({
    to,
    data,
    terms: termsOf(intent.action),
    ahead: toAhead(intent),
  }));
  const inputs = await findTakenInputs(context, wallet.address);
  const prepared = await transactor
    .prepare(wallet.address, requests, inputs)
    .catch(async (error: unknown) => {
      const reason = `The chain does not respond: ${messageOf(error)}`;
      await postponeIntents(
        store,
        decided.map(({ intent }) => postpone(context, intent, reason)),
      );
      return undefined;
    });
  if (!prepared) return;
  const endings: Ending[] = [];
  const postponed: PostponedIntent[] = [];
  const priced: PricedIntent[] = [];
  const unpaid: { intent: WaitingIntent; reason: string }[] = [];
  for (const [{ intent, to, data, parameters }, offer] of zip(decided, prepared.offers)) {
    const { tenantId, action } = intent;
    if ('failure' in offer) {
      const abi = await findContractAbi(store, tenantId, action.contract.id);
      const why = actionsOn(action.contract.chainUid).explain(offer.failure, abi);
      endings.push({ intent, state: 'FAILED', reason: `The call would fail: ${why}.` });
    } else if ('price' in offer)
      priced.push({ intent, call: { to, data, parameters, gasLimit: String(offer.units) }, offer });
    else if (offer.isFinal) endings.push({ intent, state: 'FAILED', reason: offer.reason });
    else if (offer.needsFunds) unpaid.push({ intent, reason: offer.reason });
    else postponed.push(postpone(context, intent, offer.reason));
  }
  await settleAll([
    endIntents(context, endings),
    postponeIntents(store, postponed),
    waitForFunds(context, unpaid),
    signAndSend(context, priced, prepared),
  ]);
}

/** Without those that a call under way answers as well, which pays more from now on. */
async function withoutTakenOver(
  { store, now }: ActionContext,
  decided: readonly DecidedCall[],
): Promise<DecidedCall[]> {
  const rest: DecidedCall[] = [];
  for (const call of decided) {
    const isTaken =
      call.intent.comesFirst && (await store.transaction((tx) => takeOverCall(tx, call.intent, call, now())));
    if (!isTaken) rest.push(call);
  }
  return rest;
}

async function signAndSend(
  context: ActionContext,
  priced: readonly PricedIntent[],
  prepared: Prepared,
): Promise<void> {
  const { store, now, onStep } = context;
  const [first, ...rest] = priced;
  if (!first) return;
  await onStep('before it is signed');
  const { signedCalls, refused, isBehind } = await signCalls(context, [first, ...rest], prepared);
  await onStep('after it was signed');
  if (isBehind) {
    const reason =
      'The node reports fewer transactions of the wallet than Vigil sent; waiting until it has caught up.';
    await postponeIntents(
      store,
      priced.map(({ intent }) => postpone(context, intent, reason)),
    );
    return;
  }
  const processed = new Set([...signedCalls, ...refused].map(({ intent }) => intent.id));
  // The obstacle to signing these may end soon, so they do not wait for the end of the lease.
  const unsigned = priced
    .filter(({ intent }) => !processed.has(intent.id))
    .map(({ intent }) => ({ tenantId: intent.tenantId, id: intent.id, at: now() + 1000 }));
  await settleAll([
    postponeIntents(store, unsigned),
    endIntents(
      context,
      refused.flatMap(({ intent, reason, needsFunds }) =>
        needsFunds ? [] : [{ intent, reason, state: 'FAILED' as const }],
      ),
    ),
    waitForFunds(
      context,
      refused.filter(({ needsFunds }) => needsFunds),
    ),
    sendAttempts(context, signedCalls),
  ]);
}

/** Leaves what the wallet cannot pay waiting until it is funded, for as long as an intent may wait, and reports each once. */
async function waitForFunds(
  context: ActionContext,
  unpaid: readonly { intent: WaitingIntent; reason: string }[],
): Promise<void> {
  if (unpaid.length === 0) return;
  const { store, alerts } = context;
  // The time of the intent, so that it is the same alert at every attempt.
  const findings = unpaid.map(({ intent, reason }) =>
    toOutcomeFinding(intent, { outcome: 'waiting', at: intent.createdAt, reason }),
  );
  await alerts.prepare(findings);
  await store.transaction(async (tx) => {
    await raiseOutcomeAlerts(tx, context, findings);
    await postponeIntents(
      tx,
      unpaid.map(({ intent, reason }) => postpone(context, intent, reason)),
    );
  });
}

/** Retries after a quarter of the intent's age, between 1 and 30 seconds. */
function postpone(
  { now }: ActionContext,
  { tenantId, id, createdAt }: WaitingIntent,
  reason: string,
): PostponedIntent {
  const time = now() + Math.min(30_000, Math.max(1000, Math.ceil((now() - createdAt) / 4)));
  return { tenantId, id, at: time, reason };
}
