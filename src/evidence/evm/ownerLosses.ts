import { groupBy } from '../../lib/groupBy.ts';
import { zip } from '../../lib/zip.ts';
import type { Block, Transaction } from '../../model/block.ts';
import type { ChainFacts, Reader } from '../../model/detection.ts';
import { native } from '../amounts.ts';
import { findKnownFeed } from './knownFeeds.ts';
import { changesIn, type Pull } from './pulls.ts';
import { assetFacts, tryHolding } from './tokens.ts';
import { usdWorth } from './usdWorth.ts';

/** The real loss of an owner in a token; `usd` where its price is known. */
type Loss = {
  readonly owner: string;
  readonly token: string;
  readonly amount: bigint;
  readonly usd: number | undefined;
};

/** `usd`: what all owners lost together at known prices, less what they got. `notRead`: losses that were not looked at. */
export type Losses = { readonly losses: readonly Loss[]; readonly usd: number; readonly notRead: number };

type World = {
  read: Reader;
  chain: ChainFacts;
  /** The feed that is set for a token. */
  feedOf: (token: string) => string | undefined;
  /** Counts although it has no price. */
  isNamed: (token: string) => boolean;
  block: Block;
  transaction: Transaction;
  /** Change of coins of each address by the transaction. */
  coins: ReadonlyMap<string, bigint>;
};

/** Bounds the reads; the losses of named tokens are looked at, and those that are worth most. */
const maxLosses = 50;

/**
 * Losses of owners by these pulls, bounded by what the transaction took and by what they had before. A flash borrower
 * can have a fortune pulled from himself.
 */
export function ownerLosses(world: World, pulls: readonly Pull[]): Losses {
  const { read, transaction } = world;
  const changes = changesIn(transaction.logs, new Set(pulls.map(({ owner }) => owner)));
  const gone = Array.from(
    groupBy(pulls, ({ owner, token }) => `${owner} ${token}`).values(),
    (ownerPulls) => {
      const [{ owner, token }] = ownerPulls;
      const pulled = ownerPulls.reduce((sum, { amount }) => sum + amount, 0n);
      const missing = -(changes.get(owner)?.get(token) ?? 0n);
      return { owner, token, amount: least(pulled, missing) };
    },
  ).filter(({ amount }) => amount > 0n);
  const ranked = read
    .all(gone.map((loss) => () => ({ ...loss, usd: usdOf(world, loss.token, loss.amount) })))
    .sort((a, b) => Number(world.isNamed(b.token)) - Number(world.isNamed(a.token)) || byWorth(a, b));
  const looked = ranked.slice(0, maxLosses);
  const held = read.all(
    looked.map(
      ({ owner, token }) =>
        () =>
          heldBefore(world, owner, token),
    ),
  );
  const losses = zip(looked, held)
    .map(([loss, had]) =>
      had >= loss.amount ? loss : { ...loss, amount: had, usd: usdOf(world, loss.token, had) },
    )
    .filter(({ amount }) => amount > 0n);
  const nets = Array.from(
    groupBy(losses, ({ owner }) => owner),
    ([owner, ownerPulls]) => {
      const given = ownerPulls.reduce((sum, { usd = 0 }) => sum + usd, 0);
      return given === 0 ? 0 : Math.max(0, given - gainOf(world, owner, changes.get(owner) ?? new Map()));
    },
  );
  return { losses, usd: nets.reduce((sum, net) => sum + net, 0), notRead: ranked.length - looked.length };
}

function byWorth(a: Loss, b: Loss): number {
  return (b.usd ?? 0) - (a.usd ?? 0) || (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0);
}

/** Includes what came in earlier transactions of the block. */
function heldBefore({ read, block, transaction }: World, owner: string, token: string): bigint {
  const earlier = block.logs.filter(
    ({ address, transactionIndex }) => address === token && transactionIndex < transaction.index,
  );
  const came =
    changesIn(earlier, new Set([owner]))
      .get(owner)
      ?.get(token) ?? 0n;
  const held = (tryHolding(read, token, owner, 'parent') ?? 0n) + came;
  return held > 0n ? held : 0n;
}

/** An order that is filled is no theft. Only what has a price counts: anything else could be given by the thief. */
function gainOf(world: World, owner: string, changes: ReadonlyMap<string, bigint>): number {
  const all = [...changes, [native, world.coins.get(owner) ?? 0n] as const];
  const gains = all.filter(([, amount]) => amount > 0n);
  return gains.reduce((sum, [asset, amount]) => sum + (usdOf(world, asset, amount) ?? 0), 0);
}

function usdOf({ read, chain, feedOf, block }: World, token: string, amount: bigint): number | undefined {
  const feed = feedOf(token);
  if (feed === undefined && findKnownFeed(chain.uid, token) === undefined) return undefined;
  const { decimals } = assetFacts(read, chain, token);
  const { usd } = usdWorth(read, { token, feed, chain, at: block.timestamp }, amount, decimals).fields;
  return usd === undefined ? undefined : Number(usd);
}

function least(left: bigint, right: bigint): bigint {
  if (left < right) return left;
  return right;
}
