import { checkAllowedCalls } from '../../actions/checkAllowedCalls.ts';
import { decide } from '../../actions/decide.ts';
import { actionsOn } from '../../actions/fillCall.ts';
import { findTakenInputs } from '../../actions/takenInputs.ts';
import { termsOf } from '../../actions/termsOf.ts';
import { checkBudget, spendingWindowMs, spendLimit } from '../../actions/walletLimits.ts';
import { aliasesOf, getChain } from '../../chains/chains.ts';
import type { Prepared } from '../../chains/transactor.ts';
import { uidTime } from '../../lib/uid.ts';
import type { FilledParameter } from '../../model/action.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { type ActionSetup, findActionSetup } from '../../store/actions/intentLog.ts';
import { findSpending } from '../../store/actions/signing.ts';
import { findContractAbi } from '../../store/contracts/findContractAbi.ts';
import { type AlertDocument, findAlertDocuments } from '../../store/destinations/findAlertDocuments.ts';
import { actionTable } from '../../store/tables/actionTable.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';
import { checkParams, requireTransactor } from './runAction.ts';

export type ActionSimulation = {
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

/** Simulates the action now, for an alert or as a manual run. Nothing is signed or sent. */
export async function simulateAction(
  call: Call,
  id: number,
  { alertUid, params = {} }: { alertUid?: string; params?: Readonly<Record<string, unknown>> },
): Promise<ActionSimulation> {
  const owner = await findReadable(call, actionTable, id);
  const setup = await findActionSetup(call.db, owner);
  const { action } = setup;
  const transactor = requireTransactor(call, action);
  const alert = alertUid === undefined ? null : await findAlert(call, owner.tenantId, alertUid);
  if (!alert) checkParams(action, params);
  const scripts = alert ? scriptsFor(setup, alert) : { filter: null, params: {} };
  const decision = await decide(call.services.runScripts, owner.tenantId, alert, {
    action,
    scripts,
    manualParams: params,
  });
  const parties = { from: action.wallet.address, to: action.contract.address };
  if (decision.type !== 'fire') {
    const reason = decision.type === 'skip' ? 'The filter does not match.' : decision.reason;
    return { ...emptySimulation, ...parties, fires: false, reason };
  }
  const { to, data, parameters } = decision;
  const made = { ...emptySimulation, from: parties.from, to, data, parameters, fires: true };
  const refused = checkAllowedCalls(action, to);
  if (refused) return { ...made, reason: refused.reason };
  const aliases = aliasesOf(getChain(action.contract.chainUid));
  const inputs = await findTakenInputs({ transactor, aliases, store: call.db }, parties.from);
  const requests = [{ to, data, terms: termsOf(action) }];
  const prepared = await prepareOrThrow(() => transactor.prepare(parties.from, requests, inputs));
  return { ...made, ...(await createPricer(call, setup, prepared)(prepared.offers[0])) };
}

export const emptySimulation: Omit<ActionSimulation, 'from' | 'to' | 'fires'> = {
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

/** Prices calls as firing does; the spending is read once and without a lock, because nothing is signed. */
export function createPricer(call: Call, { action }: ActionSetup, prepared: Prepared) {
  const { tenantId, wallet, contract } = action;
  const chain = getChain(wallet.chainUid);
  const balance = String(prepared.balance);
  let abi: ReturnType<typeof findContractAbi> | undefined;
  let budget: ReturnType<typeof findSpending> | undefined;
  return async (offer: Prepared['offers'][number] | undefined): Promise<Partial<ActionSimulation>> => {
    if (!offer) throw new Error('The chain returned no estimate.');
    if ('failure' in offer) {
      abi ??= findContractAbi(call.db, tenantId, contract.id);
      const why = actionsOn(contract.chainUid).explain(offer.failure, await abi);
      return { balance, reason: `The call would fail: ${why}.` };
    }
    const basics = { gasLimit: offer.units === undefined ? null : String(offer.units), balance };
    if ('reason' in offer) return { ...basics, reason: offer.reason };
    budget ??= findSpending(call.db, { tenantId, walletId: wallet.id }, call.now - spendingWindowMs);
    const refusal = checkBudget(chain, offer.cost, await budget, prepared, spendLimit(wallet, chain));
    const reason = refusal?.reason ?? null;
    return {
      ...basics,
      success: reason === null,
      reason,
      maxFeePerGas: String(offer.price.maxFee),
      maxPriorityFeePerGas: offer.price.tip === null ? null : String(offer.price.tip),
      maxCost: String(offer.cost),
    };
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
  throw unprocessable(
    '/alertUid',
    'not-bound',
    'The action is not bound to what raised this alert: bind it there, or name another alert.',
  );
}

export async function prepareOrThrow(read: () => Promise<Prepared>): Promise<Prepared> {
  try {
    return await read();
  } catch (cause) {
    const problem = 'The chain does not respond at the moment, so the action cannot be simulated.';
    throw new Problem('unavailable', problem, { retryAfterSeconds: 5 }, { cause });
  }
}
