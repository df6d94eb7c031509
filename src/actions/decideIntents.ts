import { groupBy } from '../lib/groupBy.ts';
import type { FilledParameter } from '../model/action.ts';
import { maxScriptTimeouts } from '../model/scriptTimeout.ts';
import type { WaitingIntent } from '../store/actions/claimIntents.ts';
import { saveScriptTimeouts } from '../store/actions/scriptTimeouts.ts';
import type { AlertDocument } from '../store/destinations/findAlertDocuments.ts';
import type { ActionContext } from './actionContext.ts';
import { checkAllowedCalls } from './checkAllowedCalls.ts';
import { decide } from './decide.ts';
import type { Ending } from './endIntents.ts';
import { terminalReason } from './terminalReason.ts';

/** Intents of one binding that are decided side by side. */
const maxAtOnce = 16;

export type DecidedCall = {
  intent: WaitingIntent;
  to: string;
  data: string;
  parameters: FilledParameter[];
};

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
  await Promise.all(
    Array.from(bindings.values(), (bindingIntents) =>
      decideBinding(context, bindingIntents, alerts, decisions),
    ),
  );
}

/**
 * Decides the intents of one binding: first one by one, then ever more side by side as long as no script times out, so
 * that looping scripts use the sandbox little.
 */
async function decideBinding(
  context: ActionContext,
  intents: readonly [WaitingIntent, ...WaitingIntent[]],
  alerts: Alerts,
  { calls, endings, faults }: Decisions,
): Promise<void> {
  let { timeouts } = intents[0];
  let atOnce = 1;
  for (let next = 0; next < intents.length; ) {
    const batch = intents.slice(next, next + atOnce);
    next += batch.length;
    const outcomes = await Promise.allSettled(
      batch.map((intent) => decideIntent(context, intent, alerts, timeouts)),
    );
    const counts: number[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        faults.push(outcome.reason);
        continue;
      }
      const { value } = outcome;
      if ('call' in value) calls.push(value.call);
      else endings.push(value.ending);
      counts.push(value.timeouts);
    }
    if (counts.length > 0) timeouts = Math.max(...counts);
    atOnce = timeouts === 0 ? Math.min(2 * atOnce, maxAtOnce) : 1;
  }
}

/** The decision on an intent, and the number of timeouts in a row of the scripts of its binding. */
type Outcome = { timeouts: number } & ({ call: DecidedCall } | { ending: Ending });

async function decideIntent(
  { store, runScripts, now }: ActionContext,
  intent: WaitingIntent,
  alerts: Alerts,
  timeoutsBefore: number,
): Promise<Outcome> {
  const { tenantId, binding, action, scripts, alertUid, manualParams } = intent;
  const end = (state: Ending['state'], reason: string, timeouts = timeoutsBefore): Outcome => ({
    ending: { intent, state, reason },
    timeouts,
  });
  const terminal = terminalReason(intent, now(), true);
  if (terminal) return { ending: terminal, timeouts: timeoutsBefore };
  if (!scripts) throw new Error(`The intent ${intent.uid} has no binding.`);
  const alert = alertUid === null ? null : alerts.get(alertUid);
  if (alert === undefined) return end('CANCELED', 'The alert is no longer stored.');
  const refused = checkAllowedCalls(action);
  if (refused) return end('FAILED', refused.reason);
  if (timeoutsBefore >= maxScriptTimeouts)
    return end('FAILED', `The scripts ran out of time before. ${stoppedText}`);
  const run: typeof runScripts = (owner, values, sources) =>
    runScripts(owner, values, sources, intent.isUrgent);
  const decision = await decide(run, tenantId, alert, { action, scripts, manualParams });
  const timeouts = decision.type === 'fault' && decision.isTimeout ? timeoutsBefore + 1 : 0;
  if (timeouts !== timeoutsBefore)
    await saveScriptTimeouts(store, { tenantId, actionId: action.id, binding }, timeouts, now());
  if (decision.type === 'fire') {
    const { to, data, parameters } = decision;
    const forbidden = checkAllowedCalls(action, to);
    if (forbidden) return end('FAILED', forbidden.reason, timeouts);
    return { call: { intent, to, data, parameters }, timeouts };
  }
  if (decision.type === 'skip') return end('SKIPPED', 'The filter did not match.', timeouts);
  const isLast = timeouts >= maxScriptTimeouts;
  return end('FAILED', isLast ? `${decision.reason} ${stoppedText}` : decision.reason, timeouts);
}

const stoppedText = `This happened ${maxScriptTimeouts} times in a row: alerts do not fire the action through this binding until the action is saved again.`;
