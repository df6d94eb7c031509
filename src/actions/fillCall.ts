import { encodeCall, type FunctionItem } from '../chains/evm/abi/abi.ts';
import { toAbiValues } from '../chains/evm/abi/toAbiValue.ts';
import { toJsonValue } from '../lib/toJsonValue.ts';
import type { FilledParameter } from '../model/action.ts';

type Callable = { funcAbi: FunctionItem; params: readonly { name: string; value: string }[] };

/**
 * The names by which the values of a function are given: those of its signature. Where that has none, the parameter at the
 * same place names it, else its position does.
 */
export function parameterNames({ funcAbi, params }: Callable): string[] {
  return funcAbi.inputs.map((input, place) => input.name || params[place]?.name || String(place));
}

/** The call data. What is in `values` goes before the action's own parameters. Throws a RangeError that says what is wrong. */
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
  const named = funcAbi.inputs.map((input, place) => ({ ...input, name: names[place]! }));
  const given = names.map((name) => (Object.hasOwn(values, name) ? values[name] : own.get(name)));
  const filled = toAbiValues(named, given);
  return {
    data: encodeCall(funcAbi, toAbiValues(funcAbi.inputs, given)),
    parameters: named.map(({ name, type }, place) => ({ name, type, value: toText(filled[place]) })),
  };
}

function toText(value: unknown): string {
  const json = toJsonValue(value);
  return typeof json === 'string' ? json : JSON.stringify(json);
}
