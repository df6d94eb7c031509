import type { Revert } from '../transactor.ts';
import type { RpcError } from './createRpc.ts';
import { revertReason } from './revertReason.ts';

/** What the call itself came to; undefined for a fault of the node, whose answer may be right elsewhere or later. */
export function toRevert({ code, message, data }: RpcError): Revert | undefined {
  const bytes = bytesOf(data);
  const told = typeof data === 'string' ? `${message} ${data}` : message;
  if (code !== 3 && bytes === undefined && !ofCall.test(told)) return undefined;
  return { reason: revertReason(bytes ?? '0x', message), data: bytes ?? '0x' };
}

/** Some nodes wrap what the contract said into a record or put a word before it. */
function bytesOf(data: unknown): string | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  return typeof inner === 'string' ? /^(?:Reverted )?(0x[0-9a-f]{2,})$/i.exec(inner)?.[1] : undefined;
}

/** Nodes have no code in common for what a program does wrong, and each its own words, with spaces or without. */
const ofCall = new RegExp(
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
