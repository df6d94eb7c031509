import { toAddressForm } from '../chains/addressForm.ts';
import { chainUids, getChain } from '../chains/chains.ts';
import { mapTexts } from '../lib/mapTexts.ts';
import { zip } from '../lib/zip.ts';
import type { FilledParameter } from '../model/action.ts';
import type { ScriptFault } from '../scripts/compilerCode.ts';
import { fixAddresses } from '../scripts/fixAddresses.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { ExecutableAction } from '../store/actions/claimIntents.ts';
import { fillCall, parameterNames } from './fillCall.ts';
import { findBeyondBounds, findClosed } from './openParameters.ts';

/** The action as scripts see it and as filling its call needs it. */
export type ScriptedAction = Omit<ExecutableAction, 'tenantId' | 'isActive' | 'wallet'> & {
  wallet: Pick<ExecutableAction['wallet'], 'id' | 'name' | 'chainUid' | 'address' | 'requireApproval'>;
};

export type Undecided = {
  action: ScriptedAction;
  scripts: { filter: string | null; params: Readonly<Record<string, string>> };
  manualParams: Readonly<Record<string, unknown>>;
};

export type Decision =
  | { type: 'fire'; to: string; data: string; parameters: FilledParameter[] }
  | { type: 'skip' }
  | { type: 'fault'; reason: string; isTimeout: boolean };

/** Decides if the alert fires the action, and fills the call's parameters. An action run by hand has no alert. */
export async function decide(
  runScripts: Sandbox['run'],
  tenantId: number,
  alert: Readonly<Record<string, unknown>> | null,
  { action, scripts, manualParams }: Undecided,
): Promise<Decision> {
  const scripted = parameterNames(action).filter((name) => Object.hasOwn(scripts.params, name));
  const closed = findClosed(action, scripted);
  if (closed) return toFault(closed.reason);
  const sources = [
    ...(scripts.filter ? [{ name: null, source: scripts.filter }] : []),
    ...scripted.flatMap((name) => {
      const source = scripts.params[name];
      return source === undefined ? [] : [{ name, source }];
    }),
  ];
  const results =
    sources.length === 0
      ? []
      : await runScripts(
          tenantId,
          withOneForm(alert, action),
          sources.map(({ source }) => fixAddresses(source, formOf(alert, action))),
        );
  const values: Record<string, unknown> = {};
  for (const [{ name }, result] of zip(sources, results)) {
    const script = name === null ? 'The filter' : `The script of ${name}`;
    if ('fault' in result) return toScriptFault(script, result.fault);
    if (name !== null) values[name] = result.value;
    // `e.meta.a && …` returns the value of a when that is empty.
    else if (!result.value) return { type: 'skip' };
    else if (result.value !== true) return toFault('The filter must give true or false.');
  }
  try {
    const call = fillCall(action, { ...values, ...manualParams });
    const beyond = findBeyondBounds(action, scripted, call.parameters);
    return beyond === undefined ? { type: 'fire', ...call } : toFault(beyond);
  } catch (error) {
    if (error instanceof RangeError) return toFault(error.message);
    throw error;
  }
}

/** The form of addresses in scripts: that of the alert's chain, and without an alert that of the action's. */
function formOf(alert: Readonly<Record<string, unknown>> | null, { contract }: ScriptedAction) {
  const uid = chainUids.find((candidate) => candidate === alert?.chainUid) ?? contract.chainUid;
  return toAddressForm(getChain(uid));
}

/** The values of scripts, with every address in the form of its chain, so that they can be compared. */
function withOneForm(alert: Readonly<Record<string, unknown>> | null, action: ScriptedAction) {
  return {
    e: alert && mapTexts(alert, formOf(alert, action)),
    a: mapTexts(toScriptAction(action), toAddressForm(getChain(action.contract.chainUid))),
  };
}

/** Running out of time or memory counts as a timeout: it stops the sandbox for others too, which a plain failure does not. */
function toScriptFault(script: string, { code, message }: ScriptFault): Decision {
  const isTimeout = code === 'time' || code === 'memory';
  return { type: 'fault', reason: `${script} fails: ${message}.`, isTimeout };
}

function toFault(reason: string): Decision {
  return { type: 'fault', reason, isTimeout: false };
}

/** The action as scripts see it in `a`. */
export function toScriptAction({ contract, wallet, params, ...action }: ScriptedAction) {
  const { id, name, description, funcSignature, gasPrice, gasLimit, gasTip } = action;
  return {
    id,
    name,
    description,
    funcSignature,
    gasPrice,
    gasLimit,
    gasTip,
    params: Object.fromEntries(params.map((param) => [param.name, param.value])),
    contract,
    wallet: { id: wallet.id, name: wallet.name, chainUid: wallet.chainUid, address: wallet.address },
  };
}
