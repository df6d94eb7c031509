import type { FilledParameter } from '../model/action.ts';
import type { ScriptFault } from '../scripts/compile.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { FiredAction } from '../store/actions/claimIntents.ts';
import { fillCall, parameterNames } from './fillCall.ts';

export type Undecided = {
  action: FiredAction;
  scripts: { filter: string | null; params: Readonly<Record<string, string>> };
  given: Readonly<Record<string, unknown>>;
};

export type Decision =
  | { type: 'fire'; data: string; parameters: FilledParameter[] }
  | { type: 'skip' }
  | { type: 'fault'; reason: string; isTimeout: boolean };

/** Whether the alert fires the action, and the call with its parameters filled. An action run by hand has no alert. */
export async function decide(
  run: Sandbox['run'],
  tenantId: number,
  alert: Readonly<Record<string, unknown>> | null,
  { action, scripts, given }: Undecided,
): Promise<Decision> {
  const names = parameterNames(action).filter((name) => Object.hasOwn(scripts.params, name));
  const sources = [
    ...(scripts.filter ? [scripts.filter] : []),
    ...names.map((name) => scripts.params[name]!),
  ];
  const results =
    sources.length > 0 ? await run(tenantId, { e: alert, a: toScriptAction(action) }, sources) : [];
  if (scripts.filter) {
    const filtered = results.shift()!;
    if ('fault' in filtered) return scriptFault('The filter', filtered.fault);
    // `e.meta.a && …` gives whatever a is when it is empty.
    if (!filtered.value) return { type: 'skip' };
    if (filtered.value !== true) return fault('The filter must give true or false.');
  }
  const values: Record<string, unknown> = {};
  for (const [place, name] of names.entries()) {
    const result = results[place]!;
    if ('fault' in result) return scriptFault(`The script of ${name}`, result.fault);
    values[name] = result.value;
  }
  try {
    return { type: 'fire', ...fillCall(action, { ...values, ...given }) };
  } catch (error) {
    if (error instanceof RangeError) return fault(error.message);
    throw error;
  }
}

function fault(reason: string): Decision {
  return { type: 'fault', reason, isTimeout: false };
}

/** What takes the whole sandbox, time or memory, costs others; what merely fails does not. */
function scriptFault(script: string, { code, message }: ScriptFault): Decision {
  return {
    type: 'fault',
    reason: `${script} fails: ${message}.`,
    isTimeout: code === 'time' || code === 'memory',
  };
}

/** What scripts see of the action as `a`. */
function toScriptAction({ contract, wallet, params, ...action }: FiredAction) {
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
