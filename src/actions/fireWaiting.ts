import { setTimeout as sleep } from 'node:timers/promises';
import type { Prepared } from '../chains/transactor.ts';
import { groupBy } from '../lib/groupBy.ts';
import { messageOf } from '../lib/messageOf.ts';
import type { IntendedCall } from '../model/action.ts';
import { setTimeouts } from '../store/actions/bindingTimeouts.ts';
import { claimWaiting, type WaitingIntent } from '../store/actions/claimIntents.ts';
import { type Postponed, postponeIntents } from '../store/actions/settleIntents.ts';
import { findContractAbi } from '../store/contracts/contractAbi.ts';
import { type AlertDocument, findAlertDocuments } from '../store/destinations/alertDocuments.ts';
import { type Acting, validMs } from './acting.ts';
import { decide } from './decide.ts';
import { type Ending, endIntents } from './endIntents.ts';
import { priceCall } from './priceCall.ts';
import { sendAttempts } from './sendAttempts.ts';
import { settleAll } from './settleAll.ts';
import { type Fireable, signCalls } from './signCalls.ts';
import { whyNotAllowed } from './whyNotAllowed.ts';
import { whyOver } from './whyOver.ts';

const mostAtOnce = 100;
/** What is decided is not kept waiting for longer by scripts that are not done. */
const patienceMs = 100;
/** Scripts of a binding that run out of time so often in a row are not run any more. */
const maxTimeouts = 3;

type Ready = { intent: WaitingIntent; data: string; parameters: IntendedCall['parameters'] };
type Decided = { ready: Ready[]; endings: Ending[]; faults: unknown[] };
type Alerts = ReadonlyMap<string, AlertDocument>;

/** Decides on what of a tenant waits, signs and sends it; returns how many there were. */
export async function fireWaiting(acting: Acting, tenantId: number): Promise<number> {
  const { store, chain, now, reached, turns } = acting;
  const at = now();
  const place = { chainUid: chain.uid, tenantId, canSend: true };
  const { claimed, alerts } = await turns.run(tenantId, async () => {
    const claimed = await claimWaiting(store, place, mostAtOnce, at, at - validMs);
    return { claimed, alerts: await findAlerts(acting, claimed) };
  });
  if (claimed.length === 0) return 0;
  await reached('after it was claimed');
  // Each binding beside the others: one whose scripts take long holds up only its own.
  const bindings = groupBy(claimed, ({ action, binding }) => `${action.id} ${binding}`);
  const decided: Decided = { ready: [], endings: [], faults: [] };
  const { faults } = decided;
  const deciding = Promise.all(
    Array.from(bindings.values(), (own) => decideInTurn(acting, own, alerts, decided)),
  );
  for (let isDone = false; !isDone; ) {
    isDone = await Promise.race([deciding.then(() => true), sleep(patienceMs, false, { ref: false })]);
    const ready = decided.ready.splice(0).sort((one, other) => one.intent.id - other.intent.id);
    const endings = decided.endings.splice(0);
    if (ready.length + endings.length === 0) continue;
    await reached('after it was decided');
    await turns
      .run(tenantId, () => fireDecided(acting, ready, endings))
      .catch((error: unknown) => {
        faults.push(error);
      });
  }
  if (faults.length > 0) throw faults[0];
  return claimed.length;
}

async function findAlerts(
  { store }: Pick<Acting, 'store'>,
  intents: readonly WaitingIntent[],
): Promise<Alerts> {
  const keys = intents.flatMap(({ tenantId, alertUid, alertTimestamp }) =>
    alertUid === null ? [] : [{ tenantId, timestamp: alertTimestamp!, uid: alertUid }],
  );
  const documents = keys.length > 0 ? await findAlertDocuments(store, keys) : [];
  return new Map(documents.map((document) => [document.uid, document]));
}

/** The intents of one binding, one after the other, so that they take no more of the sandbox than those of any other. */
async function decideInTurn(
  acting: Acting,
  intents: readonly WaitingIntent[],
  alerts: Alerts,
  decided: Decided,
): Promise<void> {
  const memory = { timeouts: intents[0]!.timeouts };
  for (const intent of intents)
    await decideOne(acting, intent, alerts, memory, decided).catch((error: unknown) => {
      decided.faults.push(error);
    });
}

async function decideOne(
  { store, run, now }: Acting,
  intent: WaitingIntent,
  alerts: Alerts,
  memory: { timeouts: number },
  { ready, endings }: Decided,
): Promise<void> {
  const { tenantId, binding, action, scripts, alertUid, given } = intent;
  const alert = alertUid === null ? null : alerts.get(alertUid);
  const end = (state: Ending['state'], reason: string) => void endings.push({ intent, state, reason });
  const over = whyOver(intent, now(), true);
  if (over) return void endings.push(over);
  if (alert === undefined) return end('CANCELED', 'The alert is not kept any more.');
  const refused = whyNotAllowed(action);
  if (refused) return end('FAILED', refused.reason);
  if (memory.timeouts >= maxTimeouts) return end('FAILED', `The scripts ran out of time before. ${stopped}`);
  const decision = await decide(run, tenantId, alert, { action, scripts: scripts!, given });
  const timeouts = decision.type === 'fault' && decision.isTimeout ? memory.timeouts + 1 : 0;
  if (timeouts !== memory.timeouts)
    await setTimeouts(store, { tenantId, actionId: action.id, binding }, timeouts, now());
  memory.timeouts = timeouts;
  if (decision.type === 'fire') ready.push({ intent, ...decision });
  else if (decision.type === 'skip') end('SKIPPED', 'The filter did not let it pass.');
  else end('FAILED', timeouts < maxTimeouts ? decision.reason : `${decision.reason} ${stopped}`);
}

const stopped = `This happened ${maxTimeouts} times in a row: alerts do not fire the action through this binding until the action is saved again.`;

async function fireDecided(
  acting: Acting,
  ready: readonly Ready[],
  endings: readonly Ending[],
): Promise<void> {
  const wallets = groupBy(ready, ({ intent }) => intent.action.wallet.id);
  await settleAll([
    endIntents(acting, endings),
    ...Array.from(wallets.values(), (own) => fireWallet(acting, own)),
  ]);
}

/** Calls of one wallet, in their order. */
async function fireWallet(acting: Acting, ready: readonly Ready[]): Promise<void> {
  const { store, transactor } = acting;
  const { wallet } = ready[0]!.intent.action;
  const calls = ready.map(({ intent, data }) => ({ to: intent.action.contract.address, data }));
  const prepared = await transactor.prepare(wallet.address, calls).catch(async (error: unknown) => {
    const reason = `The chain does not answer: ${messageOf(error)}`;
    await postponeIntents(
      store,
      ready.map(({ intent }) => later(acting, intent, reason)),
    );
    return undefined;
  });
  if (!prepared) return;
  const endings: Ending[] = [];
  const postponed: Postponed[] = [];
  const fireables: Fireable[] = [];
  for (const [place, { intent, data, parameters }] of ready.entries()) {
    const estimate = prepared.estimates[place]!;
    const { tenantId, action } = intent;
    const abi = 'gas' in estimate ? [] : await findContractAbi(store, tenantId, action.contract.id);
    const priced = priceCall(action, estimate, prepared.fees, abi);
    if ('price' in priced) {
      const gasLimit = String(priced.gasLimit);
      const { price } = priced;
      fireables.push({ intent, call: { ...calls[place]!, data, parameters, gasLimit }, price });
    } else if (priced.isFinal) endings.push({ intent, state: 'FAILED', reason: priced.reason });
    else postponed.push(later(acting, intent, priced.reason));
  }
  await settleAll([
    endIntents(acting, endings),
    postponeIntents(store, postponed),
    signAndSend(acting, fireables, prepared),
  ]);
}

async function signAndSend(
  acting: Acting,
  fireables: readonly Fireable[],
  prepared: Prepared,
): Promise<void> {
  const { store, now, reached } = acting;
  if (fireables.length === 0) return;
  await reached('before it is signed');
  const { sendables, refused, isBehind } = await signCalls(acting, fireables, prepared);
  await reached('after it was signed');
  if (isBehind) {
    const reason =
      'The chain knows of fewer transactions of the wallet than were sent; its answer is not believed yet.';
    await postponeIntents(
      store,
      fireables.map(({ intent }) => later(acting, intent, reason)),
    );
    return;
  }
  const through = new Set([...sendables, ...refused].map(({ intent }) => intent.id));
  // Whatever changed meanwhile may change back, and then it must not wait for the end of the lease.
  const held = fireables
    .filter(({ intent }) => !through.has(intent.id))
    .map(({ intent }) => ({ tenantId: intent.tenantId, id: intent.id, at: now() + 1000 }));
  await settleAll([
    postponeIntents(store, held),
    endIntents(
      acting,
      refused.map((refusal) => ({ ...refusal, state: 'FAILED' })),
    ),
    sendAttempts(acting, sendables),
  ]);
}

function later({ now }: Acting, { tenantId, id, createdAt }: WaitingIntent, reason: string): Postponed {
  const at = now() + Math.min(30_000, Math.max(1000, (now() - createdAt) / 4));
  return { tenantId, id, at, reason };
}
