import { native } from './amounts.ts';
import type { Trust } from './evm/vouchedBy.ts';
import type { Outflows } from './outflows.ts';
import { largestBefore } from './outflows.ts';

export type AssetFlows = Outflows & {
  /** True if the sum is beyond the limit already, so that a drain is reported once. */
  isOver: boolean;
  /** Evidence for a discovered token; undefined for one that an earlier version discovered. */
  trust?: Trust;
};

export type OutflowState = AssetFlows & {
  /** The native balance seen last: what it falls by has left, by whatever way. */
  balance?: string;
  /** The block whose wrapped and unwrapped coins are counted. */
  wrappedAt?: number;
  /** Without a configured token, what left of each token; the last one that left is last. */
  tokens?: Readonly<Record<string, AssetFlows>>;
};

/** An outflow that is added to the state. */
type Added = {
  asset: string;
  trust?: Trust;
  /** The native balance to compare with next time, and the block whose wrappings it has in it. */
  balance?: string;
  wrappedAt?: number;
};

type Settings = { token?: string };

const empty: AssetFlows = { buckets: [], isOver: false };

/** A configured token's flows are the state itself, as are those of native coins. */
export function flowsOf(state: OutflowState | undefined, asset: string, { token }: Settings): AssetFlows {
  if (state === undefined) return empty;
  return token === undefined && asset !== native ? (state.tokens?.[asset] ?? empty) : state;
}

/**
 * Bounds the state. Anyone can make a token, but none that the contract calls: these never push out those. Beyond the first
 * number of those that it calls, where anyone may make it call more, only a few sums of each are kept.
 */
const maxKnown = 6;
const maxSums = 150;
const maxClaimed = 4;
/** A token may report amounts of 78 digits, and a state that is too large could not be stored at all. */
const maxCharacters = 50_000;

export function withFlows(
  state: OutflowState | undefined,
  { asset, balance, wrappedAt, trust }: Added,
  { token }: Settings,
  flows: AssetFlows,
): OutflowState {
  const before = state ?? empty;
  if (token !== undefined || asset === native)
    return {
      ...before,
      ...flows,
      ...(balance !== undefined && { balance }),
      ...(wrappedAt !== undefined && { wrappedAt }),
    };
  const { [asset]: _before, ...rest } = state?.tokens ?? {};
  // Stored states keep no order.
  const others = Object.entries(rest).sort(([, a], [, b]) => leftAt(a) - leftAt(b));
  const all: [string, AssetFlows][] = [...others, [asset, { ...flows, ...(trust && { trust }) }]];
  const called = all.filter((entry) => entry[1].trust === 'known');
  const tokens = [
    ...all.filter((entry) => entry[1].trust !== 'known').slice(-maxClaimed),
    ...called.slice(-maxKnown - maxSums, -maxKnown).map(([name, many]) => [name, toSums(many)] as const),
    ...called.slice(-maxKnown),
  ];
  return { ...before, tokens: Object.fromEntries(newestWithin(tokens)) };
}

function leftAt({ buckets }: AssetFlows): number {
  return buckets.at(-1)?.at ?? 0;
}

const sumsPerToken = 3;

/** Sums of a token, each as if all of it had left with the first. */
function toSums({ buckets, isOver, trust }: AssetFlows): AssetFlows {
  const size = Math.ceil(buckets.length / sumsPerToken);
  const starts = Array.from(
    { length: size === 0 ? 0 : Math.ceil(buckets.length / size) },
    (_, part) => part * size,
  );
  const sums = starts.flatMap((start) => {
    const part = buckets.slice(start, start + size);
    const [first] = part;
    const out = part.reduce((sum, bucket) => sum + BigInt(bucket.out), 0n).toString();
    return first ? [{ at: first.at, out, before: largestBefore({ buckets: part }).toString() }] : [];
  });
  return { buckets: sums, isOver, ...(trust && { trust }) };
}

function newestWithin<T extends readonly [string, AssetFlows]>(tokens: readonly T[]): T[] {
  let characters = 0;
  return tokens
    .toReversed()
    .filter((entry) => {
      characters += JSON.stringify(entry).length;
      return characters <= maxCharacters;
    })
    .reverse();
}
