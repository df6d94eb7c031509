import type { Reverted } from '../chains/transactor.ts';
import { decodeCall, type FunctionItem, selectorOf } from '../lib/abi.ts';
import { toJsonValue } from '../lib/toJsonValue.ts';

/** Why a call fails, in the words of the contract where its ABI has them: `NotOwner(who: 0x…)`. */
export function explainRevert({ reason, data }: Reverted, abi: readonly unknown[]): string {
  const known = abi.filter(isError).find((item) => selectorOf(asFunction(item)) === data.slice(0, 10));
  if (!known) return reason;
  const values = Object.entries(decodeCall(asFunction(known), data));
  return `${known.name}(${values.map(([name, value]) => `${name}: ${shown(value)}`).join(', ')})`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(toJsonValue(value));
}

type ErrorItem = { type: 'error'; name: string; inputs: FunctionItem['inputs'] };

function isError(item: unknown): item is ErrorItem {
  return typeof item === 'object' && item !== null && 'type' in item && item.type === 'error';
}

/** Errors are written down like calls. */
function asFunction({ name, inputs }: ErrorItem): FunctionItem {
  return { type: 'function', name, inputs, outputs: [], stateMutability: 'pure' };
}
