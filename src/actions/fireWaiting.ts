import { messageOf } from '../lib/messageOf.ts';
import type { IntendedCall } from '../model/action.ts';
import { claimWaiting, type WaitingIntent } from '../store/actions/claimIntents.ts';
import { postponeIntents } from '../store/actions/settleIntents.ts';
import { findContractAbi } from '../store/contractAbi.ts';
import { findAlertDocuments } from '../store/deliveries/alertDocuments.ts';
import { type Acting, validMs } from './acting.ts';
import { chooseFees } from './chooseFees.ts';
import { decide } from './decide.ts';
import { type Ending, endIntents } from './endIntents.ts';
import { estimateCall } from './estimateCall.ts';
import { sendAttempts } from './sendAttempts.ts';
import { type Fireable, signCalls } from './signCalls.ts';
import { gasCap } from './walletLimits.ts';

const mostAtOnce = 100;

type Ready = { intent: WaitingIntent; data: string; parameters: IntendedCall['parameters'] };

/** Decides on what waits, signs and sends it; tells how many there were. */
export async function fireWaiting(acting: Acting): Promise<number> {
  const { store, chain, now, reached } = acting;
  const claimed = await claimWaiting(store, chain.uid, mostAtOnce, now());
  if (claimed.length === 0) return 0;
  await reached('after it was claimed');
  const { ready, endings } = await decideAll(acting, claimed);
  await endIntents(acting, endings);
  await reached('after it was decided');
  const wallets = new Map<number, Ready[]>();
  for (const one of ready) {
    const { id } = one.intent.action.wallet;
    wallets.set(id, [...(wallets.get(id) ?? []), one]);
  }
  // One wallet's trouble is not the others'.
  const done = await Promise.allSettled(Array.from(wallets.values(), (own) => fireWallet(acting, own)));
  const failed = done.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return claimed.length;
}

async function decideAll(
  { store, run, now }: Acting,
  intents: readonly WaitingIntent[],
): Promise<{ ready: Ready[]; endings: Ending[] }> {
  const keys = intents.flatMap(({ tenantId, alertUid, alertTimestamp }) =>
    alertUid === null ? [] : [{ tenantId, timestamp: alertTimestamp!, uid: alertUid }],
  );
  const documents = keys.length > 0 ? await findAlertDocuments(store, keys) : [];
  const alerts = new Map(documents.map((document) => [document.uid, document]));
  const ready: Ready[] = [];
  const endings: Ending[] = [];
  await Promise.all(
    intents.map(async (intent) => {
      const { action, scripts, alertUid, given } = intent;
      const alert = alertUid === null ? null : alerts.get(alertUid);
      const end = (state: Ending['state'], reason: string) => void endings.push({ intent, state, reason });
      if (!action.isActive) return end('CANCELED', 'The action or its contract is not active any more.');
      if (!action.wallet.isActive) return end('CANCELED', 'The wallet is not active any more.');
      if (!scripts) return end('CANCELED', 'The action is not bound to the source of the alert any more.');
      if (alert === undefined) return end('CANCELED', 'The alert is not kept any more.');
      if (now() - intent.createdAt > validMs)
        return end('FAILED', `It could not be sent within 8 hours. ${intent.reason ?? ''}`.trim());
      const decision = await decide(run, alert, { action, scripts, given });
      if (decision.type === 'fire') ready.push({ intent, ...decision });
      else if (decision.type === 'skip') end('SKIPPED', 'The filter did not let it pass.');
      else end('FAILED', decision.reason);
    }),
  );
  return { ready: ready.sort((one, other) => one.intent.id - other.intent.id), endings };
}

/** Calls of one wallet, in their order. */
async function fireWallet(acting: Acting, ready: readonly Ready[]): Promise<void> {
  const { store, transactor, now, reached } = acting;
  const { wallet } = ready[0]!.intent.action;
  const calls = ready.map(({ intent, data }) => ({ to: intent.action.contract.address, data }));
  const later = (intent: WaitingIntent, reason: string) => ({
    tenantId: intent.tenantId,
    id: intent.id,
    at: now() + Math.min(30_000, Math.max(1000, (now() - intent.createdAt) / 4)),
    reason,
  });
  const prepared = await transactor.prepare(wallet.address, calls).catch(async (error: unknown) => {
    const reason = `The chain does not answer: ${messageOf(error)}`;
    await postponeIntents(
      store,
      ready.map(({ intent }) => later(intent, reason)),
    );
    return undefined;
  });
  if (!prepared) return;
  const cap = gasCap(wallet);
  const endings: Ending[] = [];
  const postponed: ReturnType<typeof later>[] = [];
  const fireables: Fireable[] = [];
  for (const [place, { intent, data, parameters }] of ready.entries()) {
    const estimate = prepared.estimates[place]!;
    const { tenantId, action } = intent;
    const abi = 'gas' in estimate ? [] : await findContractAbi(store, tenantId, action.contract.id);
    const estimated = estimateCall(action, estimate, abi);
    const price = chooseFees(prepared.fees, action, cap);
    if ('reason' in estimated) endings.push({ intent, state: 'FAILED', reason: estimated.reason });
    else if (!price)
      postponed.push(
        later(intent, `Gas costs more than the ${wallet.maxGasPrice} gwei that the wallet may pay.`),
      );
    else {
      const gasLimit = String(estimated.gasLimit);
      fireables.push({ intent, call: { ...calls[place]!, data, parameters, gasLimit }, price });
    }
  }
  await endIntents(acting, endings);
  await postponeIntents(store, postponed);
  if (fireables.length === 0) return;
  await reached('before it is signed');
  const { sendables, refused, isBehind } = await signCalls(acting, fireables, prepared);
  await reached('after it was signed');
  if (isBehind) {
    const reason =
      'The chain knows of fewer transactions of the wallet than were sent; its answer is not believed yet.';
    await postponeIntents(
      store,
      fireables.map(({ intent }) => later(intent, reason)),
    );
    return;
  }
  const through = new Set([...sendables, ...refused].map(({ intent }) => intent.id));
  // Whatever changed meanwhile may change back, and then it must not wait for the end of the lease.
  await postponeIntents(
    store,
    fireables
      .filter(({ intent }) => !through.has(intent.id))
      .map(({ intent }) => ({ tenantId: intent.tenantId, id: intent.id, at: now() + 1000 })),
  );
  await endIntents(
    acting,
    refused.map((refusal) => ({ ...refusal, state: 'FAILED' })),
  );
  await sendAttempts(acting, sendables);
}
