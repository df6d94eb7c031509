import { getChain } from '../chains/chains.ts';
import { families } from '../chains/families.ts';
import type { FamilyActions, FunctionItem } from '../chains/familyActions.ts';
import { toJsonValue } from '../lib/json.ts';
import { zip } from '../lib/zip.ts';
import type { FilledParameter } from '../model/action.ts';

type Callable = { funcAbi: FunctionItem; params: readonly { name: string; value: string }[] };

/** The notation of calls on a chain; throws where Vigil fires no actions yet, which saving an action refuses. */
export function actionsOn(chainUid: string): FamilyActions {
  const { actions } = families[getChain(chainUid).family];
  if (!actions) throw new Error(`Vigil fires no actions on ${chainUid} yet.`);
  return actions;
}

/** The parameter names of a function: those of its signature, else of the action's parameter at the same index, else the index. */
export function parameterNames({ funcAbi, params }: Callable): string[] {
  return funcAbi.inputs.map((input, index) => input.name || params[index]?.name || String(index));
}

/** The call. `values` take precedence over the action's own parameters. Throws a RangeError that names the fault. */
export function fillCall(
  action: Callable & { contract: { chainUid: string; address: string } },
  values: Readonly<Record<string, unknown>>,
): { to: string; data: string; parameters: FilledParameter[] } {
  const { funcAbi, params, contract } = action;
  const { readValue, encode } = actionsOn(contract.chainUid);
  const names = parameterNames(action);
  const given = new Map(params.map(({ name, value }) => [name, value]));
  const unknown = [...given.keys(), ...Object.keys(values)].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new RangeError(
      `The function has no parameter ${unknown}; it has ${names.length === 0 ? 'none' : names.join(', ')}.`,
    );
  const missing = names.filter((name) => !Object.hasOwn(values, name) && !given.has(name));
  if (missing.length > 0)
    throw new RangeError(
      `There is no value for ${missing.join(', ')}: give it in params or in scriptParams.`,
    );
  const filled = zip(funcAbi.inputs, names).map(([input, name]) => {
    const value = readValue(
      input,
      Object.hasOwn(values, name) ? values[name] : given.get(name),
      name,
      getChain(contract.chainUid),
    );
    return { name, type: input.type, value };
  });
  const call = encode(
    funcAbi,
    filled.map(({ value }) => value),
    contract.address,
  );
  return {
    ...call,
    parameters: filled.map(({ name, type, value }) => ({ name, type, value: toText(value) })),
  };
}

/** A value as the call would have it; throws a RangeError where the parameter cannot have it. */
export function fillValue(
  action: Callable & { contract: { chainUid: string } },
  name: string,
  value: unknown,
): string {
  const input = action.funcAbi.inputs[parameterNames(action).indexOf(name)];
  if (!input) throw new RangeError(`The function has no parameter ${name}.`);
  const { chainUid } = action.contract;
  return toText(actionsOn(chainUid).readValue(input, value, name, getChain(chainUid)));
}

function toText(value: unknown): string {
  const json = toJsonValue(value);
  return typeof json === 'string' ? json : JSON.stringify(json);
}
