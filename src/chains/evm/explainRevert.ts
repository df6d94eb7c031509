import { decodeCall, type FunctionItem, selectorOf } from '../../codecs/evm/abi.ts';
import { harmless } from '../../lib/harmless.ts';
import { toJsonValue } from '../../lib/json.ts';
import type { Failure } from '../transactor.ts';

/**
 * The reason of a failed call: the decoded error where the contract's ABI declares it (`NotOwner(who: 0x…)`), else the
 * node's text.
 */
export function explainRevert({ reason, data }: Failure, abi: readonly unknown[]): string {
  for (const item of abi.filter(isError)) {
    const decoded = decodeError(item, data);
    if (decoded !== undefined) return decoded;
  }
  return reason;
}

type ErrorItem = { type: 'error'; name: string; inputs: FunctionItem['inputs'] };

function isError(item: unknown): item is ErrorItem {
  return typeof item === 'object' && item !== null && 'type' in item && item.type === 'error';
}

/** Undefined unless the data is this error. */
function decodeError(item: ErrorItem, data: string): string | undefined {
  try {
    const call = asFunction(item);
    if (selectorOf(call) !== data.slice(0, 10)) return undefined;
    const values = Object.entries(decodeCall(call, data));
    return `${item.name}(${values.map(([name, value]) => `${name}: ${toText(value)}`).join(', ')})`;
  } catch {
    // ABI and data are untrusted: where they do not match, the node's reason is used.
    return undefined;
  }
}

/** Errors are encoded like calls. */
function asFunction({ name, inputs }: ErrorItem): FunctionItem {
  return { type: 'function', name, inputs, outputs: [], stateMutability: 'pure' };
}

function toText(value: unknown): string {
  return harmless(typeof value === 'string' ? value : JSON.stringify(toJsonValue(value)), 500);
}
