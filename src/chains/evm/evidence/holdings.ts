import { native } from '../../../evidence/amounts.ts';
import type { Reader } from '../../../model/detection.ts';
import { type FunctionItem, parseFunction } from '../abi/abi.ts';
import { readCall, tryCall } from './readCall.ts';

const balanceOf = parseFunction('balanceOf(address)(uint256)');
const totalSupply = parseFunction('totalSupply()(uint256)');

/** How much of a token, or of the native coin, the holder has. */
export function readHolding(read: Reader, token: string, holder: string, at?: 'block' | 'parent'): bigint {
  if (token === native) return read.balance(holder, at);
  return readCall(read, token, balanceOf, [holder], at)[0] as bigint;
}

export function readSupply(read: Reader, token: string, at?: 'block' | 'parent'): bigint {
  return readCall(read, token, totalSupply, [], at)[0] as bigint;
}

/** The supply without what the lockers hold; nothing where the token does not exist yet. */
export function readCirculation(
  read: Reader,
  token: string,
  lockers: readonly string[],
  at?: 'block' | 'parent',
): bigint {
  const [supply, ...locked] = read.all([
    () => tryNumber(read, token, totalSupply, [], at),
    ...lockers.map((locker) => () => tryNumber(read, token, balanceOf, [locker], at)),
  ]);
  return locked.reduce((rest, held) => rest - held, supply);
}

function tryNumber(
  read: Reader,
  token: string,
  item: FunctionItem,
  values: readonly unknown[],
  at?: 'block' | 'parent',
): bigint {
  if (at === 'parent') {
    const answer = tryCall(read, token, item, values, at);
    return 'failure' in answer ? 0n : (answer.results[0] as bigint);
  }
  return readCall(read, token, item, values, at)[0] as bigint;
}
