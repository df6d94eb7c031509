import { harmless } from '../../lib/harmless.ts';
import { decodeResult, parseFunction } from './abi.ts';

/** The call data of `decimals()` and `symbol()`. */
export const decimalsData = '0x313ce567';
export const symbolData = '0x95d89b41';

/**
 * Decimals of a token whose answer to `decimals()` says none or makes no sense. Its amounts are then counted in whole units,
 * as block explorers do: a threshold is reached too early rather than never.
 */
export const defaultDecimals = 0;

/** More than 256 bits can count; a larger number would only stretch texts. */
const maxDecimals = 77n;

/** True for an answer to `decimals()` that makes sense. */
export function hasDecimals(data: string | undefined): boolean {
  return data !== undefined && data.length >= 66 && BigInt(data.slice(0, 66)) <= maxDecimals;
}

/** A token's answer to `decimals()`; the default for anything that is no such answer. */
export function readTokenDecimals(data: string | undefined): number {
  return data !== undefined && hasDecimals(data) ? Number(BigInt(data.slice(0, 66))) : defaultDecimals;
}

/** A token's answer to `symbol()`: a text, or 32 bytes as in the first tokens; undefined for anything else. */
export function readTokenSymbol(data: string): string | undefined {
  if (data.length < 66) return undefined;
  const symbol = data.length === 66 ? toText(data) : decodeText(data);
  return (symbol && harmless(symbol, maxSymbolLength)) || undefined;
}

/** Longer ones are advertisements. */
const maxSymbolLength = 32;

const symbolItem = parseFunction('symbol()(string)');

function toText(word: string): string {
  return Buffer.from(word.slice(2), 'hex').toString('utf8').replace(/\0+$/, '');
}

function decodeText(data: string): string | undefined {
  try {
    return String(decodeResult(symbolItem, data)[0]);
  } catch {
    return undefined;
  }
}
