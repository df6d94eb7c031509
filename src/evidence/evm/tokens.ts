import { Type } from 'typebox';
import { type FunctionItem, parseFunction } from '../../codecs/evm/abi.ts';
import {
  decimalsData,
  defaultDecimals,
  readTokenDecimals,
  readTokenSymbol,
  symbolData,
} from '../../codecs/evm/tokenMetadata.ts';
import type { CallResult, ChainFacts, Reader } from '../../model/detection.ts';
import { type AssetFacts, native } from '../amounts.ts';
import { readNumber, toNumber, tryCall } from './readCall.ts';

/**
 * Symbol and decimals of a token or the native coin; the address stands in for a missing symbol. With unreadable
 * decimals amounts are in smallest units, as the symbol then says.
 */
export function assetFacts(read: Reader, chain: ChainFacts, token: string): AssetFacts {
  if (token === native) return { symbol: chain.symbol, decimals: chain.decimals };
  if (!isContract(token)) {
    const [symbol, decimals] = read.all([
      () => read.optional(() => read.symbol(token)),
      () => read.degradable(() => read.decimals(token)),
    ]);
    if (decimals === undefined) return { symbol: `smallest units of ${symbol || token}`, decimals: 0 };
    return { symbol: symbol || token, decimals };
  }
  const [answer, decimals] = read.all([
    () => read.optional(() => read.call(token, symbolData)),
    () => read.degradable(() => read.call(token, decimalsData)),
  ]);
  const symbol = (answer && toSymbol(answer)) ?? token;
  if (decimals === undefined) return { symbol: `smallest units of ${symbol}`, decimals: 0 };
  return { symbol, decimals: toDecimals(decimals) };
}

/** Decimals alone, for thresholds. */
export function assetDecimals(read: Reader, chain: ChainFacts, token: string): number {
  return token === native ? chain.decimals : tokenDecimals(read, token);
}

/** The same, but undefined where they cannot be read even after waiting: the threshold counts as reached then. */
export function assetDecimalsIfKnown(read: Reader, chain: ChainFacts, token: string): number | undefined {
  return token === native ? chain.decimals : read.degradable(() => tokenDecimals(read, token));
}

/** Elsewhere tokens are the chain's own, and read as such. */
function isContract(token: string): boolean {
  return token.startsWith('0x');
}

function tokenDecimals(read: Reader, token: string): number {
  if (!isContract(token)) return read.decimals(token);
  return toDecimals(read.call(token, decimalsData));
}

function toDecimals(answer: CallResult): number {
  return readTokenDecimals('failure' in answer ? undefined : answer.data);
}

function toSymbol(answer: CallResult): string | undefined {
  return 'failure' in answer ? undefined : readTokenSymbol(answer.data);
}

const balanceOf = parseFunction('balanceOf(address)(uint256)');
const totalSupply = parseFunction('totalSupply()(uint256)');

const balanceOfId = parseFunction('balanceOf(address,uint256)(uint256)');

/** The holder's amount of a token, of one id of an ERC-1155 token, or of the native coin. */
export function readHolding(
  read: Reader,
  token: string,
  holder: string,
  moment?: 'block' | 'parent',
  id?: bigint,
): bigint {
  if (token === native) return read.balance(holder, moment);
  if (!isContract(token)) return read.holding(token, holder, moment);
  return id === undefined
    ? readNumber(read, token, balanceOf, [holder], moment)
    : readNumber(read, token, balanceOfId, [holder, id], moment);
}

/** The same of a token that anyone may have made: undefined when it does not answer, for whatever reason. */
export function tryHolding(
  read: Reader,
  token: string,
  holder: string,
  moment?: 'block' | 'parent',
): bigint | undefined {
  if (!isContract(token)) return read.optional(() => read.holding(token, holder, moment));
  const answer = read.optional(() => tryCall(read, token, balanceOf, [holder], moment));
  return answer && 'results' in answer ? toNumber(answer.results) : undefined;
}

/** The holder's amount of an untrusted token: 0 where the contract does not answer as a token. */
export function claimedHolding(
  read: Reader,
  token: string,
  holder: string,
  moment?: 'block' | 'parent',
): bigint {
  if (!isContract(token)) return read.holding(token, holder, moment);
  const answer = tryCall(read, token, balanceOf, [holder], moment);
  return 'results' in answer ? toNumber(answer.results) : 0n;
}

export function readSupply(read: Reader, token: string, moment?: 'block' | 'parent'): bigint {
  if (!isContract(token)) return read.supply(token, moment);
  return readNumber(read, token, totalSupply, [], moment);
}

/** The supply without what the lockers hold; nothing where the token does not exist yet. */
export function readCirculation(
  read: Reader,
  token: string,
  lockers: readonly string[],
  moment?: 'block' | 'parent',
): bigint {
  const isOwn = !isContract(token);
  const [supply, ...locked] = read.all([
    () => (isOwn ? read.supply(token, moment) : tryNumber(read, token, totalSupply, [], moment)),
    ...lockers.map(
      (locker) => () =>
        isOwn ? read.holding(token, locker, moment) : tryNumber(read, token, balanceOf, [locker], moment),
    ),
  ]);
  return locked.reduce((rest, held) => rest - held, supply);
}

function tryNumber(
  read: Reader,
  token: string,
  item: FunctionItem,
  values: readonly unknown[],
  moment?: 'block' | 'parent',
): bigint {
  if (moment === 'parent') {
    const answer = tryCall(read, token, item, values, moment);
    return 'failure' in answer ? 0n : toNumber(answer.results);
  }
  return readNumber(read, token, item, values, moment);
}

export const decimalsMember = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 77,
    description: `Decimals of the token. Without it those that the token reports, or ${defaultDecimals} if it reports none.`,
  }),
);

/** Decimals of a token whose amounts are compared with plans: those that are known, else its own. */
export function ownDecimals(read: Reader, token: string, known: number | undefined): number {
  return known ?? tokenDecimals(read, token);
}
