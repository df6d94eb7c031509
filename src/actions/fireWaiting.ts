import type { Prepared } from '../chains/transactor.ts';
import { messageOf } from '../lib/messageOf.ts';
import type { IntendedCall } from '../model/action.ts';
import { claimWaiting, type WaitingIntent } from '../store/actions/claimIntents.ts';
import { type Postponed, postponeIntents } from '../store/actions/settleIntents.ts';
import { findContractAbi } from '../store/contractAbi.ts';
import { findAlertDocuments } from '../store/deliveries/alertDocuments.ts';
import { type Acting, validMs } from './acting.ts';
import { chooseFees } from './chooseFees.ts';
import { decide } from './decide.ts';
import { type Ending, endIntents } from './endIntents.ts';
import { estimateCall } from './estimateCall.ts';
import { sendAttempts } from './sendAttempts.ts';
import { settleAll } from './settleAll.ts';
import { type Fireable, signCalls } from './signCalls.ts';
import { gasCap } from './walletLimits.ts';
import { whyOver } from './whyOver.ts';

const mostAtOnce = 100;

type Ready = { intent: WaitingIntent; data: string; parameters: IntendedCall['parameters'] };

/** Decides on what waits, signs and sends it; tells how many there were. */
export async function fireWaiting(acting: Acting): Promise<number> {
  const { store, chain, now, reached } = acting;
  const at = now();
  const place = { chainUid: chain.uid, canSend: true };
  const claimed = await claimWaiting(store, place, mostAtOnce, at, at - validMs);
  if (claimed.length === 0) return 0;
  await reached('after it was claimed');
  const { ready, endings, faults } = await decideAll(acting, claimed);
  await reached('after it was decided');
  const wallets = new Map<number, Ready[]>();
  for (const one of ready) {
    const { id } = one.intent.action.wallet;
    wallets.set(id, [...(wallets.get(id) ?? []), one]);
  }
  await settleAll([
    endIntents(acting, endings),
    ...Array.from(wallets.values(), (own) => fireWallet(acting, own)),
    ...faults.map((fault) => Promise.reject(fault)),
  ]);
  return claimed.length;
}

async function decideAll(
  { store, run, now }: Acting,
  intents: readonly WaitingIntent[],
): Promise<{ ready: Ready[]; endings: Ending[]; faults: unknown[] }> {
  const keys = intents.flatMap(({ tenantId, alertUid, alertTimestamp }) =>
    alertUid === null ? [] : [{ tenantId, timestamp: alertTimestamp!, uid: alertUid }],
  );
  const documents = keys.length > 0 ? await findAlertDocuments(store, keys) : [];
  const alerts = new Map(documents.map((document) => [document.uid, document]));
  const ready: Ready[] = [];
  const endings: Ending[] = [];
  const decided = await Promise.allSettled(
    intents.map(async (intent) => {
      const { tenantId, action, scripts, alertUid, given } = intent;
      const alert = alertUid === null ? null : alerts.get(alertUid);
      const end = (state: Ending['state'], reason: string) => void endings.push({ intent, state, reason });
      const over = whyOver(intent, now(), true);
      if (over) return void endings.push(over);
      if (alert === undefined) return end('CANCELED', 'The alert is not kept any more.');
      const decision = await decide(run, tenantId, alert, { action, scripts: scripts!, given });
      if (decision.type === 'fire') ready.push({ intent, ...decision });
      else if (decision.type === 'skip') end('SKIPPED', 'The filter did not let it pass.');
      else end('FAILED', decision.reason);
    }),
  );
  const faults = decided.flatMap((outcome): unknown[] =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  );
  return { ready: ready.sort((one, other) => one.intent.id - other.intent.id), endings, faults };
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
  const cap = gasCap(wallet);
  const endings: Ending[] = [];
  const postponed: Postponed[] = [];
  const fireables: Fireable[] = [];
  for (const [place, { intent, data, parameters }] of ready.entries()) {
    const estimate = prepared.estimates[place]!;
    const { tenantId, action } = intent;
    const abi = 'gas' in estimate ? [] : await findContractAbi(store, tenantId, action.contract.id);
    const estimated = estimateCall(action, estimate, abi);
    const price = chooseFees(prepared.fees, action, cap);
    if ('reason' in estimated) endings.push({ intent, state: 'FAILED', reason: estimated.reason });
    else if (!price) {
      const reason = `Gas costs more than the ${wallet.maxGasPrice} gwei that the wallet may pay.`;
      postponed.push(later(acting, intent, reason));
    } else {
      const gasLimit = String(estimated.gasLimit);
      fireables.push({ intent, call: { ...calls[place]!, data, parameters, gasLimit }, price });
    }
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
