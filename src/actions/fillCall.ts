import { encodeCall, type FunctionItem } from '../chains/evm/abi/abi.ts';
import { toAbiValues } from '../chains/evm/abi/toAbiValue.ts';
import { toJsonValue } from '../lib/json.ts';
import { zip } from '../lib/zip.ts';
import type { FilledParameter } from '../model/action.ts';

type Callable = { funcAbi: FunctionItem; params: readonly { name: string; value: string }[] };

/** The parameter names of a function: those of its signature, else of the action's parameter at the same index, else the index. */
export function parameterNames({ funcAbi, params }: Callable): string[] {
  return funcAbi.inputs.map((input, index) => input.name || params[index]?.name || String(index));
}

/** The call data. `values` take precedence over the action's own parameters. Throws a RangeError that names the fault. */
export function fillCall(
  action: Callable,
  values: Readonly<Record<string, unknown>>,
): { data: string; parameters: FilledParameter[] } {
  const { funcAbi, params } = action;
  const names = parameterNames(action);
  const own = new Map(params.map(({ name, value }) => [name, value]));
  const unknown = [...own.keys(), ...Object.keys(values)].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new RangeError(
      `The function has no parameter ${unknown}; it has ${names.length === 0 ? 'none' : names.join(', ')}.`,
    );
  const missing = names.filter((name) => !Object.hasOwn(values, name) && !own.has(name));
  if (missing.length > 0)
    throw new RangeError(
      `There is no value for ${missing.join(', ')}: give it in params or in scriptParams.`,
    );
  const named = zip(funcAbi.inputs, names).map(([input, name]) => ({ ...input, name }));
  const supplied = names.map((name) => (Object.hasOwn(values, name) ? values[name] : own.get(name)));
  const filled = toAbiValues(named, supplied);
  return {
    data: encodeCall(funcAbi, toAbiValues(funcAbi.inputs, supplied)),
    parameters: zip(named, filled).map(([{ name, type }, value]) => ({ name, type, value: toText(value) })),
  };
}

function toText(value: unknown): string {
  const json = toJsonValue(value);
  return typeof json === 'string' ? json : JSON.stringify(json);
}
