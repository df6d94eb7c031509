import { groupBy } from '../lib/groupBy.ts';
import type { FilledParameter } from '../model/action.ts';
import type { WaitingIntent } from '../store/actions/claimIntents.ts';
import { saveScriptTimeouts } from '../store/actions/scriptTimeouts.ts';
import type { AlertDocument } from '../store/destinations/alertDocuments.ts';
import type { ActionContext } from './actionContext.ts';
import { checkAllowedCalls } from './checkAllowedCalls.ts';
import { decide } from './decide.ts';
import type { Ending } from './endIntents.ts';
import { terminalReason } from './terminalReason.ts';

/** After this many timeouts in a row the scripts of a binding no longer run. */
const maxScriptTimeouts = 3;

export type DecidedCall = { intent: WaitingIntent; data: string; parameters: FilledParameter[] };

/** Filled while deciding goes on; the caller takes out what is decided so far. */
export type Decisions = { calls: DecidedCall[]; endings: Ending[]; faults: unknown[] };

type Alerts = ReadonlyMap<string, AlertDocument>;

/** Decides which intents fire. The bindings run side by side, so that one with slow scripts delays only its own intents. */
export async function decideIntents(
  context: ActionContext,
  intents: readonly WaitingIntent[],
  alerts: Alerts,
  decisions: Decisions,
): Promise<void> {
  const bindings = groupBy(intents, ({ action, binding }) => `${action.id} ${binding}`);
  await Promise.all(Array.from(bindings.values(), (own) => decideBinding(context, own, alerts, decisions)));
}

/** Decides the intents of one binding one after the other, so that no binding takes more of the sandbox than another. */
async function decideBinding(
  context: ActionContext,
  intents: readonly [WaitingIntent, ...WaitingIntent[]],
  alerts: Alerts,
  decisions: Decisions,
): Promise<void> {
  let { timeouts } = intents[0];
  for (const intent of intents) {
    try {
      timeouts = await decideIntent(context, intent, alerts, timeouts, decisions);
    } catch (error) {
      decisions.faults.push(error);
    }
  }
}

/** Returns how many times in a row the scripts of the binding have now timed out. */
async function decideIntent(
  { store, runScripts, now }: ActionContext,
  intent: WaitingIntent,
  alerts: Alerts,
  timeoutsBefore: number,
  { calls, endings }: Decisions,
): Promise<number> {
  const { tenantId, binding, action, scripts, alertUid, manualParams } = intent;
  const end = (state: Ending['state'], reason: string) => {
    endings.push({ intent, state, reason });
    return timeoutsBefore;
  };
  const terminal = terminalReason(intent, now(), true);
  if (terminal) {
    endings.push(terminal);
    return timeoutsBefore;
  }
  if (!scripts) throw new Error(`The intent ${intent.uid} has no binding.`);
  const alert = alertUid === null ? null : alerts.get(alertUid);
  if (alert === undefined) return end('CANCELED', 'The alert is no longer stored.');
  const refused = checkAllowedCalls(action);
  if (refused) return end('FAILED', refused.reason);
  if (timeoutsBefore >= maxScriptTimeouts)
    return end('FAILED', `The scripts ran out of time before. ${stoppedText}`);
  const decision = await decide(runScripts, tenantId, alert, { action, scripts, manualParams });
  const timeouts = decision.type === 'fault' && decision.isTimeout ? timeoutsBefore + 1 : 0;
  if (timeouts !== timeoutsBefore)
    await saveScriptTimeouts(store, { tenantId, actionId: action.id, binding }, timeouts, now());
  if (decision.type === 'fire') calls.push({ intent, ...decision });
  else if (decision.type === 'skip') end('SKIPPED', 'The filter did not match.');
  else end('FAILED', timeouts < maxScriptTimeouts ? decision.reason : `${decision.reason} ${stoppedText}`);
  return timeouts;
}

const stoppedText = `This happened ${maxScriptTimeouts} times in a row: alerts do not fire the action through this binding until the action is saved again.`;
