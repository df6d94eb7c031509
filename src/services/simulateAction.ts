import { chooseFees } from '../actions/chooseFees.ts';
import { decide } from '../actions/decide.ts';
import { estimateCall } from '../actions/estimateCall.ts';
import { gasCap } from '../actions/walletLimits.ts';
import type { Prepared } from '../chains/transactor.ts';
import type { FilledParameter } from '../model/action.ts';
import { Problem, unprocessable } from '../model/errors.ts';
import { uidTime } from '../model/uidTime.ts';
import { type ActionSetup, findActionSetup } from '../store/actions/intentLog.ts';
import { findContractAbi } from '../store/contractAbi.ts';
import { type AlertDocument, findAlertDocuments } from '../store/deliveries/alertDocuments.ts';
import { actionTable } from '../store/tables/action.ts';
import type { Call } from './call.ts';
import { findReadable } from './findReadable.ts';
import { checkParams, needClient } from './runAction.ts';

export type Simulation = {
  fires: boolean;
  success: boolean;
  reason: string | null;
  from: string;
  to: string;
  data: string | null;
  parameters: FilledParameter[];
  gasLimit: string | null;
  maxFeePerGas: string | null;
  maxPriorityFeePerGas: string | null;
  maxCost: string | null;
  balance: string | null;
};

/** What the action would do now, for an alert or by hand. Nothing is signed or sent. */
export async function simulateAction(
  call: Call,
  id: number,
  { alertUid, params = {} }: { alertUid?: string; params?: Readonly<Record<string, unknown>> },
): Promise<Simulation> {
  const place = await findReadable(call, actionTable, id);
  const setup = await findActionSetup(call.db, place);
  const { action } = setup;
  const client = needClient(call, action);
  const alert = alertUid === undefined ? null : await findAlert(call, place.tenantId, alertUid);
  if (!alert) checkParams(action, params);
  const scripts = alert ? scriptsFor(setup, alert) : { filter: null, params: {} };
  const decision = await decide(call.services.runScripts, place.tenantId, alert, {
    action,
    scripts,
    given: params,
  });
  const parties = { from: action.wallet.address, to: action.contract.address };
  if (decision.type !== 'fire') {
    const reason = decision.type === 'skip' ? 'The filter does not let it pass.' : decision.reason;
    return { ...nothing, ...parties, fires: false, reason };
  }
  const { data, parameters } = decision;
  const abi = await findContractAbi(call.db, place.tenantId, action.contract.id);
  const prepared = await prepare(() => client.transactor.prepare(parties.from, [{ to: parties.to, data }]));
  return { ...nothing, ...parties, data, parameters, fires: true, ...price(action, prepared, abi) };
}

const nothing: Omit<Simulation, 'from' | 'to' | 'fires'> = {
  success: false,
  reason: null,
  data: null,
  parameters: [],
  gasLimit: null,
  maxFeePerGas: null,
  maxPriorityFeePerGas: null,
  maxCost: null,
  balance: null,
};

function price(
  action: ActionSetup['action'],
  { estimates, fees, balance }: Prepared,
  abi: readonly unknown[],
): Partial<Simulation> {
  const estimated = estimateCall(action, estimates[0]!, abi);
  if ('reason' in estimated) return { reason: estimated.reason, balance: String(balance) };
  const { gasLimit } = estimated;
  const { maxGasPrice } = action.wallet;
  const chosen = chooseFees(fees, action, gasCap(action.wallet));
  const known = { gasLimit: String(gasLimit), balance: String(balance) };
  if (!chosen)
    return { ...known, reason: `Gas costs more than the ${maxGasPrice} gwei that the wallet may pay.` };
  const maxCost = gasLimit * chosen.maxFee;
  const isEnough = maxCost <= balance;
  return {
    ...known,
    success: isEnough,
    reason: isEnough ? null : `The wallet has ${balance} of the smallest unit; gas may cost ${maxCost}.`,
    maxFeePerGas: String(chosen.maxFee),
    maxPriorityFeePerGas: chosen.tip === null ? null : String(chosen.tip),
    maxCost: String(maxCost),
  };
}

async function findAlert(call: Call, tenantId: number, uid: string): Promise<AlertDocument> {
  const timestamp = uidTime(uid);
  const [alert] =
    timestamp === undefined ? [] : await findAlertDocuments(call.db, [{ tenantId, timestamp, uid }]);
  if (alert) return alert;
  throw unprocessable('/alertUid', 'unknown', 'There is no such alert.');
}

function scriptsFor({ bindings }: ActionSetup, { detectorId, meta }: AlertDocument) {
  const bound = bindings.find(({ kind, source }) =>
    kind === 'detector' ? source === detectorId : source === meta.triggerAlertId,
  );
  if (bound) return bound;
  throw unprocessable('/alertUid', 'not-bound', 'The action is not bound to what raised this alert.');
}

async function prepare(ask: () => Promise<Prepared>): Promise<Prepared> {
  try {
    return await ask();
  } catch (cause) {
    const problem = 'The chain does not answer at the moment, so the action cannot be simulated.';
    throw new Problem('unavailable', problem, { retryAfterSeconds: 5 }, { cause });
  }
}
