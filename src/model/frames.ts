import type { Frame, Transaction } from './block.ts';
import type { Observation } from './detection.ts';

/** A call of the watched contract, by a transaction itself or by a contract within it. */
export type ObservedCall = Pick<Transaction, 'from' | 'to' | 'value' | 'input' | 'hash'> & {
  readonly isInner: boolean;
  /** The called function, as interests name it. */
  readonly key: string;
  /** Accounts that are passed beside the input, on chains that separate them. */
  readonly accounts?: readonly string[];
  /** Only the head of the input is known. */
  readonly isCut?: boolean;
};

/** Undefined for an observation of anything else. */
export function observedCall(observation: Observation): ObservedCall | undefined {
  if (observation.type === 'transaction') {
    const { from, to, value, input, hash, callKey: key } = observation.transaction;
    return { from, to, value, input, hash, key, isInner: false };
  }
  if (observation.type !== 'call') return undefined;
  const { contract, caller, value = 0n, input, key, accounts, isCut } = observation.call;
  const { hash, from } = observation.transaction;
  const call = { from: caller ?? from, to: contract, value, input, hash, key };
  return {
    ...call,
    isInner: observation.frames !== undefined,
    ...(accounts && { accounts }),
    ...(isCut && { isCut }),
  };
}

/** Says that arguments are unknown, and not that they are none of interest. */
export function refuseCut({ isCut }: ObservedCall): void {
  if (isCut)
    throw new Error(
      'A contract passes so much in its call that only the head of it is kept, so that its arguments are not known.',
    );
}

/** The frames from the transaction itself down to this one. */
export function framePath(frames: readonly Frame[], position: number): Frame[] {
  const path: Frame[] = [];
  for (let frame = frames[position]; frame; frame = frames[frame.parent]) path.unshift(frame);
  return path;
}

/** Change of native coins of each address by the transaction, without fees. */
export function coinChanges(frames: readonly Frame[]): Map<string, bigint> {
  const changes = new Map<string, bigint>();
  for (const frame of frames) addCoins(changes, frame);
  return changes;
}

export function addCoins(changes: Map<string, bigint>, frame: Frame): void {
  if (!movesCoins(frame)) return;
  const { from, to, value } = frame;
  changes.set(from, (changes.get(from) ?? 0n) - value);
  changes.set(to, (changes.get(to) ?? 0n) + value);
}

/** The same for one address, which is faster. */
export function coinChangeOf(frames: readonly Frame[], address: string): bigint {
  let sum = 0n;
  for (const frame of frames) {
    const { from, to, value } = frame;
    if ((from !== address && to !== address) || !movesCoins(frame)) continue;
    sum += from === address ? -value : value;
  }
  return sum;
}

/** Code that is borrowed pays its owner nothing. */
export function movesCoins({ type, from, to, value, isReverted }: Frame): boolean {
  return value !== 0n && !isReverted && from !== to && type !== 'CALLCODE';
}
