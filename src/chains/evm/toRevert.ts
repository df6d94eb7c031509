import { decodeResult, type FunctionItem, parseFunction } from '../../codecs/evm/abi.ts';
import { cutText } from '../../lib/cutText.ts';
import { harmless } from '../../lib/harmless.ts';
import type { RpcError } from '../net/createRpc.ts';
import type { Failure } from '../transactor.ts';

/** The call's own failure; undefined for a fault of the node, whose answer may be right elsewhere or later. */
export function toRevert({ code, message, data }: RpcError): Failure | undefined {
  const bytes = bytesOf(data);
  const text = typeof data === 'string' ? `${message} ${data}` : message;
  if (code !== 3 && bytes === undefined && !callFaults.test(text)) return undefined;
  return { reason: revertReason(bytes ?? '0x', message), data: bytes ?? '0x' };
}

/** Some nodes wrap what the contract said into a record or put a word before it. */
function bytesOf(data: unknown): string | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  return typeof inner === 'string' ? /^(?:Reverted )?(0x[0-9a-f]{2,})$/i.exec(inner)?.[1] : undefined;
}

/** Nodes have no code in common for what a program does wrong, and each its own words, with spaces or without. */
const callFaults = new RegExp(
  [
    'revert',
    'out ?of ?(gas|offset)',
    'invalid ?(fe ?)?(opcode|jump)',
    'bad ?(instruction|jump)',
    'opcode ?not ?found',
    'not ?activated',
    'stack ?(under|over)flow',
    'stack limit reached',
    'write protection',
    '(inside|during) ?static',
    'static ?call ?violation',
    'return data out of bounds',
    'gas uint64 overflow',
    'precompile ?(error|failure)',
    'execution halted',
    'gas required exceeds',
    'exceeds (account balance|block gas limit)',
    'intrinsic gas',
    'insufficient (funds|balance) for',
  ].join('|'),
  'i',
);

const errorText = parseFunction('Error(string text)');
const panicCode = parseFunction('Panic(uint256 code)');
/** A reason is as long as its contract pleases, and becomes part of messages. */
const maxCharacters = 1000;

/** Meanings of Solidity's panic codes. */
const panics: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'a number left its range',
  '18': 'division by zero',
  '49': 'an empty list was shortened',
  '50': 'an index is out of its list',
};

/** The reason of a revert in words, as far as it has any. */
export function revertReason(data: string, message = 'the call reverts'): string {
  const selector = data.slice(0, 10).toLowerCase();
  const text = selector === '0x08c379a0' ? argumentOf(errorText, data) : undefined;
  if (text !== undefined) return harmless(text, maxCharacters);
  const code = selector === '0x4e487b71' ? argumentOf(panicCode, data) : undefined;
  if (code !== undefined) return panics[code] ?? `panic ${code}`;
  if (selector.length === 10) return `custom error ${selector}`;
  // Some nodes have the contract's words only in their own.
  return /revert/i.test(message) ? harmless(message, maxCharacters) : cutText(message, maxCharacters);
}

/** Undefined where it does not fit: anyone can revert with the selector of an error and any data. */
function argumentOf(item: FunctionItem, data: string): string | undefined {
  try {
    return String(decodeResult({ ...item, outputs: item.inputs }, `0x${data.slice(10)}`)[0]);
  } catch {
    return undefined;
  }
}
