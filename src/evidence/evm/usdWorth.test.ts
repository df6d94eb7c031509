import { expect, it } from 'vitest';
import { chains } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import type { Reader } from '../../model/detection.ts';
import { native } from '../amounts.ts';
import { findKnownFeed } from './knownFeeds.ts';
import { usdWorth } from './usdWorth.ts';

const at = Date.UTC(2026, 10, 1);
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const eth = 10n ** 18n;

/** Feeds with 8 decimals at 2,500 USD, updated then; what was asked is in `asked`. */
function feeds(updatedAt: number, asked: string[] = []) {
  const round = [1n, 2500n * 10n ** 8n, 0n, BigInt(updatedAt / 1000), 1n].map(word).join('');
  return {
    call: (to: string, data: string) => {
      asked.push(to);
      return { data: `0x${data === '0x313ce567' ? word(8n) : round}` };
    },
    all: (reads: readonly (() => unknown)[]) => reads.map((read) => read()),
    optional: (question: () => unknown) => question(),
  } as unknown as Reader;
}
const priced = (uid: keyof typeof chains, over = {}) => ({
  token: native,
  feed: undefined,
  chain: toChainFacts(chains[uid]),
  at,
  ...over,
});

it('prices coins by the known feed of their chain, and by the one that is set first', () => {
  const asked: string[] = [];
  const read = feeds(at, asked);
  expect(usdWorth(read, priced('ethereum'), 2n * eth, 18)).toEqual({
    shown: ' (5,000 USD)',
    fields: { usd: '5000' },
  });
  usdWorth(read, priced('ethereum', { feed: `0x${'11'.repeat(20)}` }), eth, 18);
  expect(new Set(asked)).toEqual(new Set([findKnownFeed('ethereum', native), `0x${'11'.repeat(20)}`]));
});

it('shows no price of a chain without a known feed, nor of one that is no longer updated', () => {
  const nothing = { shown: '', fields: {} };
  expect(usdWorth(feeds(at), priced('anvil'), eth, 18)).toEqual(nothing);
  expect(usdWorth(feeds(at - 3 * 86_400_000), priced('base'), eth, 18)).toEqual(nothing);
  expect(findKnownFeed('ethereum', `0x${'22'.repeat(20)}`)).toBeUndefined();
});
