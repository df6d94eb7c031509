import { decodeTransfer } from '../../codecs/evm/erc20Transfer.ts';
import type { Frame, Transaction } from '../../model/block.ts';
import type { ChainFacts, Detection, EvaluationContext, Reader } from '../../model/detection.ts';
import { coinChangeOf } from '../../model/frames.ts';
import { type AssetFacts, formatUnits, native, percentOf } from '../amounts.ts';
import { findKnownFeed } from './knownFeeds.ts';
import { silentMoves } from './silentMoves.ts';
import { assetFacts, claimedHolding } from './tokens.ts';
import { usdWorth } from './usdWorth.ts';
import { isWrappedCoin, wrappedCoinOf, wrappingsIn } from './wrappedCoins.ts';

/** The contract whose holdings are judged, and the reader for them. */
export type Holder = Pick<EvaluationContext<unknown, never>, 'contract' | 'chain' | 'read'>;

/** The source of trust in a token: the user, a price, or a call of the contract itself; else only the token. */
export type Standing = 'named' | 'priced' | 'called' | 'claimed';

export function standingOf(tokens: readonly string[], { uid }: ChainFacts, called: ReadonlySet<string>) {
  const named = new Set(tokens.map((token) => token.toLowerCase()));
  return (asset: string): Standing => {
    if (asset === native || named.has(asset)) return 'named';
    if (findKnownFeed(uid, asset) !== undefined || asset === wrappedCoinOf(uid)) return 'priced';
    return called.has(asset) ? 'called' : 'claimed';
  };
}

/** Bounds the reads of tokens without a price. Who has the contract pay out more at once has paid for each of them. */
const maxUnpriced = 100;

/**
 * The assets to look at: all that are named or priced come first, then as many others as there is room for. `notRead`: the
 * others.
 */
export function chooseAssets(
  assets: readonly string[],
  standing: (asset: string) => Standing,
): { looked: readonly string[]; notRead: readonly string[] } {
  const isCertain = (asset: string) => standing(asset) === 'named' || standing(asset) === 'priced';
  const others = assets.filter((asset) => !isCertain(asset));
  return {
    looked: [...assets.filter(isCertain), ...others.slice(0, maxUnpriced)],
    notRead: others.slice(maxUnpriced),
  };
}

/** Effect of a transaction on the holdings, by asset. */
export type Taken = {
  transaction: Transaction;
  frames: readonly Frame[];
  at: number;
  changes: ReadonlyMap<string, bigint>;
};

/** Change of each asset of the contract by the transaction. */
export function changesOf(
  { contract: { address }, chain, read }: Holder,
  transaction: Transaction,
  frames: readonly Frame[],
): Map<string, bigint> {
  const { logs } = transaction;
  const changes = new Map<string, bigint>();
  const add = (asset: string, change: bigint) => changes.set(asset, (changes.get(asset) ?? 0n) + change);
  const coins = coinChangeOf(frames, address);
  if (coins) add(native, coins);
  for (const log of logs) {
    const transfer = decodeTransfer(log);
    if (!transfer || transfer.from === transfer.to) continue;
    if (transfer.from === address) add(log.address, -transfer.amount);
    else if (transfer.to === address) add(log.address, transfer.amount);
  }
  for (const { token, account, amount } of wrappingsIn(logs))
    if (account === address && isWrappedCoin(read, chain, token)) add(token, amount);
  for (const [token, change] of silentMoves(read, transaction, frames, address)) add(token, change);
  return changes;
}

export type Valued = {
  asset: string;
  held: bigint;
  change: bigint;
  facts: AssetFacts;
  /** The share that was lost; 0 of what came in. */
  percent: number;
  usd: { held: number; change: number } | undefined;
};

/** Assets that the contract held before, with their worth where a price is known. */
export function valuesOf(
  { contract, chain, read }: Holder,
  { at, changes }: Pick<Taken, 'at' | 'changes'>,
  assets: readonly string[],
  attempt: (question: () => bigint) => bigint | undefined = (question) => question(),
): Valued[] {
  const holdings = read.all(
    assets.map((asset) => () => attempt(() => heldBefore(read, asset, contract.address)) ?? 0n),
  );
  const moves = assets
    .map((asset, index) => ({ asset, held: holdings[index]!, change: changes.get(asset) ?? 0n }))
    // Any token can claim that the contract has paid; it pays only what it had, or what it got in between. Coins do not claim.
    .filter(({ asset, held, change }) => held > 0n || change > 0n || (asset === native && change < 0n));
  return read.all(moves.map((move) => () => valueMove(read, chain, at, move)));
}

function heldBefore(read: Reader, asset: string, holder: string): bigint {
  return asset === native ? read.balance(holder, 'parent') : claimedHolding(read, asset, holder, 'parent');
}

function valueMove(
  read: Reader,
  chain: ChainFacts,
  time: number,
  move: Pick<Valued, 'asset' | 'held' | 'change'>,
): Valued {
  const { asset: token, held, change } = move;
  const facts = assetFacts(read, chain, token);
  const percent = change < 0n ? percentOf(-change, held) : 0;
  const base = held > 0n ? held : change < 0n ? -change : change;
  const worth = usdWorth(read, { token, feed: undefined, chain, at: time }, base, facts.decimals).fields.usd;
  const inUsd = (units: bigint) => (Number(worth) * Number(units)) / Number(base);
  const usd = worth === undefined ? undefined : { held: inUsd(held), change: inUsd(change) };
  return { ...move, facts, percent, usd };
}

/** Coins that are wrapped or unwrapped are still there, so both forms are one asset. */
export function joinCoins(
  { chain, read }: Holder,
  { transaction: { logs } }: Pick<Taken, 'transaction'>,
  valued: readonly Valued[],
): Valued[] {
  const wrapped = new Set(wrappingsIn(logs).map(({ token }) => token));
  const isCoin = ({ asset }: Valued) =>
    asset === native ||
    asset === wrappedCoinOf(chain.uid) ||
    (wrapped.has(asset) && isWrappedCoin(read, chain, asset));
  const coins = valued.filter(isCoin);
  if (coins.length < 2) return [...valued];
  const held = coins.reduce((sum, coin) => sum + coin.held, 0n);
  const change = coins.reduce((sum, coin) => sum + coin.change, 0n);
  const usd = coins.every((coin) => coin.usd)
    ? {
        held: coins.reduce((sum, coin) => sum + coin.usd!.held, 0),
        change: coins.reduce((sum, coin) => sum + coin.usd!.change, 0),
      }
    : undefined;
  const facts = { symbol: chain.symbol, decimals: chain.decimals };
  const percent = change < 0n ? percentOf(-change, held) : 0;
  return [{ asset: native, held, change, facts, percent, usd }, ...valued.filter((loss) => !isCoin(loss))];
}

/** Of all that has a price together, or of the asset without one that lost most; whichever is more. */
export function shareOf(valued: readonly Valued[]): { percent: number; usd: number | undefined } {
  const priced = valued.filter(({ usd }) => usd !== undefined);
  const held = priced.reduce((sum, { usd }) => sum + usd!.held, 0);
  const lost = -priced.reduce((sum, { usd }) => sum + usd!.change, 0);
  const together = held > 0 && lost > 0 ? Math.round((lost / held) * 1_000_000) / 10_000 : 0;
  const alone = valued.filter(({ usd }) => usd === undefined).map(({ percent }) => percent);
  return { percent: Math.max(together, ...alone), usd: lost > 0 ? Math.round(lost * 100) / 100 : undefined };
}

export function assetsShown(valued: readonly Valued[]): Detection['fields'][string] {
  return valued
    .filter(({ held, change }) => held > 0n || change !== 0n)
    .map(({ asset, change, held, facts, percent }) => ({
      asset,
      symbol: facts.symbol,
      change: formatUnits(change, facts.decimals),
      held: formatUnits(held, facts.decimals),
      percent,
    }));
}
