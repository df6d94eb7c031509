import { native } from '../amounts.ts';
import { withoutKnownWorth } from './hasKnownWorth.ts';
import {
  chooseAssets,
  type Holder,
  joinCoins,
  standingOf,
  type Taken,
  type Valued,
  valuesOf,
} from './losses.ts';
import { wrappedCoinOf } from './wrappedCoins.ts';

/** The permanent loss of a contract by a transaction. */
export type Loss = {
  /** Of the asset that lost most, after what came in for it; 0 where nothing is missing. */
  readonly percent: number;
  readonly usd: number | undefined;
  /** Native coins, wrapped ones included, in smallest units. */
  readonly coins: bigint;
  readonly assets: readonly Valued[];
  /** Tokens beyond those that were looked at. */
  readonly notRead: number;
};

export const noLoss: Loss = { percent: 0, usd: undefined, coins: 0n, assets: [], notRead: 0 };

/** Prices of feeds and pools differ, so what comes in for nine tenths of what goes out is a trade. */
const tradeShare = 0.9;

type Circumstances = {
  /** Tokens that the user named, and contracts that the holder itself called. */
  readonly tokens: readonly string[];
  readonly called: ReadonlySet<string>;
  /** It probably had its reasons: unnamed tokens without a price do not count, and whatever comes in makes it a trade. */
  readonly isDoubtful: boolean;
};

/** Computes the loss of a transaction. */
export function lossOf(
  holder: Holder,
  taken: Omit<Taken, 'frames'>,
  { tokens, called, isDoubtful }: Circumstances,
): Loss {
  const { contract, chain } = holder;
  const { changes } = taken;
  const standing = standingOf(tokens, chain, called);
  // A contract that sells or burns what it holds of its own token loses nothing of others.
  const certain = [...changes].filter(
    ([asset, change]) => change !== 0n && asset !== contract.address && standing(asset) !== 'claimed',
  );
  const counts = ([asset]: (typeof certain)[number]) => !isDoubtful || standing(asset) !== 'called';
  if (!certain.some((change) => change[1] < 0n && counts(change))) return noLoss;
  const { looked, notRead } = chooseAssets(
    certain.map(([asset]) => asset),
    standing,
  );
  const valued = joinCoins(holder, taken, valuesOf(holder, taken, looked));
  const hidden = { ...noLoss, notRead: isDoubtful ? 0 : notRead.length };
  const isGain = ({ change }: Valued) => change > 0n;
  if (isDoubtful && valued.some((change) => isGain(change) && !change.usd)) return noLoss;
  const priced = valued.filter(({ usd }) => usd !== undefined);
  const out = -sum(priced.filter((change) => !isGain(change)));
  const into = sum(priced.filter(isGain));
  const isTrade = into >= out * tradeShare && into > 0;
  const gone = valued
    .filter(
      ({ asset, change, usd }) =>
        change < 0n && (usd ? !isTrade : !isDoubtful || standing(asset) !== 'called'),
    )
    .map((change) =>
      change.usd && out > 0 ? { ...change, percent: change.percent * (1 - into / out) } : change,
    )
    .sort((a, b) => b.percent - a.percent);
  const doubted = gone.filter(({ asset, usd }) => usd === undefined && standing(asset) === 'called');
  const worthless = withoutKnownWorth(
    holder,
    [taken.transaction],
    doubted.map(({ asset }) => asset),
  );
  const lost = gone.filter(({ asset }) => !worthless.has(asset));
  const [most] = lost;
  if (!most) return hidden;
  const coin = lost.find(({ asset }) => asset === native || asset === wrappedCoinOf(chain.uid));
  return {
    percent: Math.round(most.percent * 10_000) / 10_000,
    usd: out > into ? Math.round((out - into) * 100) / 100 : undefined,
    coins: coin === undefined ? 0n : -coin.change,
    assets: lost,
    notRead: hidden.notRead,
  };
}

function sum(valued: readonly Valued[]): number {
  return valued.reduce((total, { usd }) => total + usd!.change, 0);
}

/** The end of a list of losses. */
export function showNotRead({ assets, notRead }: Loss): string {
  if (notRead === 0) return '';
  return `${assets.length > 0 ? ' and ' : ''}${notRead} more tokens, which were not looked at`;
}
