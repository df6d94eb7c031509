import { functionSelector } from '../../codecs/evm/abi.ts';
import type { Frame } from '../../model/block.ts';
import { handsOver, isAnswerTo, isCallback } from './callbacks.ts';

/**
 * Kinds of reentry. asked: by a known function of the called contract. expected: handed over, reported by a token, or
 * of its own token. payment: coins only. unasked: anything else, as attackers enter.
 */
type EntryKind = 'asked' | 'expected' | 'payment' | 'unasked';

export type ReentryEntry = {
  readonly kind: EntryKind;
  readonly inner: Frame;
  readonly outer: Frame;
  readonly position: number;
  readonly outerPosition: number;
};

export type EntryRules = {
  /** Functions and callers that may. */
  readonly allowed: ReadonlySet<string>;
  readonly callers: ReadonlySet<string>;
  readonly readOnly: boolean;
};

/** Every entry into the contract while a call of it has not returned, in order, asked ones left out. */
export function* entriesInto(
  frames: readonly Frame[],
  address: string,
  { allowed, callers, readOnly }: EntryRules,
): Generator<ReentryEntry> {
  /** For each frame the outermost unfinished call of the contract around it, or -1. */
  const around = new Int32Array(frames.length);
  /** And the last call that the contract made on the way to it. */
  const made = new Int32Array(frames.length);
  // A transaction may have a hundred thousand frames, for each of which this is done.
  for (let position = 0; position < frames.length; position++) {
    const frame = frames[position]!;
    const outerPosition = frame.parent < 0 ? -1 : around[frame.parent]!;
    const isOpen = outerPosition >= 0;
    around[position] = isOpen ? outerPosition : isStart(frame, address) ? position : -1;
    const isMade = frame.from === address && frame.type !== 'DELEGATECALL' && frame.type !== 'CALLCODE';
    const madePosition = isMade ? position : frame.parent < 0 ? -1 : made[frame.parent]!;
    made[position] = madePosition;
    if (!isOpen || frame.to !== address) continue;
    if (frame.type !== 'CALL' && !(readOnly && frame.type === 'STATICCALL')) continue;
    // Calls of the contract to itself are its own business.
    if (frame.from === address || callers.has(frame.from)) continue;
    if (allowed.size > 0 && allowed.has(selectorOf(frame))) continue;
    const outer = frames[outerPosition]!;
    const kind = kindOf(frame, outer, frames[madePosition]);
    if (kind !== 'asked') yield { kind, inner: frame, outer, position, outerPosition };
  }
}

/** A plain payment runs nothing that could be caught halfway. */
function isStart({ type, to, input }: Frame, address: string): boolean {
  return to === address && type === 'CALL' && input.length >= 10;
}

function selectorOf({ input }: Frame): string {
  return input.slice(0, 10);
}

const swap2 = functionSelector('swap(uint256,uint256,address,bytes)');
const unlock = functionSelector('unlock(bytes)');
/** Managers of pools that are unlocked for someone: all that he does with them, he does in between. */
const locks: ReadonlySet<string> = new Set([unlock, functionSelector('lock(bytes)')]);
const transferFrom = functionSelector('transferFrom(address,address,uint256)');

/** Functions of tokens, which those who hold or may take them call at any time. */
const ofTokens: ReadonlySet<string> = new Set([
  transferFrom,
  ...[
    'transfer(address,uint256)',
    'approve(address,uint256)',
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
    'safeTransferFrom(address,address,uint256)',
    'safeTransferFrom(address,address,uint256,bytes)',
    'safeTransferFrom(address,address,uint256,uint256,bytes)',
    'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
    'setApprovalForAll(address,bool)',
  ].map(functionSelector),
]);

/** Functions of a Safe that only modules may call which its owners have enabled. */
const ofModules: ReadonlySet<string> = new Set(
  ['execTransactionFromModule', 'execTransactionFromModuleReturnData'].map((name) =>
    functionSelector(`${name}(address,uint256,bytes,uint8)`),
  ),
);

/** `call` is what the contract called, from which the entry followed. */
function kindOf(entry: Frame, outer: Frame, call: Frame | undefined): EntryKind {
  if (entry.input.length < 10) return 'payment';
  const selector = selectorOf(entry);
  if (ofModules.has(selector) || locks.has(selectorOf(outer))) return 'asked';
  const asked = call === undefined ? '' : selectorOf(call);
  if (call?.to === entry.from) {
    if (isAnswerTo(asked, selector)) return 'asked';
    // Vaults that are unlocked call any function that their caller wished for.
    if (asked === unlock) return 'asked';
    // It lets what it called take of its own token.
    if (selector === transferFrom && firstAddress(entry) === entry.to) return 'asked';
    if (isForwarded(entry, outer, call)) return 'asked';
    // Pairs name the callback as they like, but all pass on who asked.
    if (asked === swap2 && firstAddress(entry) === entry.to) return 'expected';
  }
  const isExpected = handsOver(asked) || isCallback(selector) || ofTokens.has(selector);
  return isExpected ? 'expected' : 'unasked';
}

/** The very call that it was in the middle of, which it had sent round by another contract. No call can carry itself otherwise. */
function isForwarded(entry: Frame, outer: Frame, call: Frame): boolean {
  const isWhole = [entry, outer, call].every(({ inputLength }) => inputLength === undefined);
  return isWhole && entry.input === outer.input && call.input.includes(entry.input.slice(2));
}

function firstAddress({ input }: Frame): string {
  return `0x${input.slice(34, 74)}`;
}
