import { decodeCall, type FunctionItem, selectorOf } from '../chains/evm/abi/abi.ts';
import type { Reverted } from '../chains/transactor.ts';
import { toJsonValue } from '../lib/toJsonValue.ts';

/** Why a call fails, in the words of the contract where its ABI has them: `NotOwner(who: 0x…)`. */
export function explainRevert({ reason, data }: Reverted, abi: readonly unknown[]): string {
  for (const item of abi.filter(isError)) {
    const told = tell(item, data);
    if (told !== undefined) return told;
  }
  return reason;
}

type ErrorItem = { type: 'error'; name: string; inputs: FunctionItem['inputs'] };

function isError(item: unknown): item is ErrorItem {
  return typeof item === 'object' && item !== null && 'type' in item && item.type === 'error';
}

/** Undefined unless the data is this error. */
function tell(item: ErrorItem, data: string): string | undefined {
  try {
    const call = asFunction(item);
    if (selectorOf(call) !== data.slice(0, 10)) return undefined;
    const values = Object.entries(decodeCall(call, data));
    return `${item.name}(${values.map(([name, value]) => `${name}: ${shown(value)}`).join(', ')})`;
  } catch {
    // The ABI is as somebody wrote it and the data as a contract made it: where they do not fit, the node's words are left.
    return undefined;
  }
}

/** Errors are written down like calls. */
function asFunction({ name, inputs }: ErrorItem): FunctionItem {
  return { type: 'function', name, inputs, outputs: [], stateMutability: 'pure' };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(toJsonValue(value));
}
