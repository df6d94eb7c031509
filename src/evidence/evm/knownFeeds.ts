import { native } from '../amounts.ts';
import { wrappedCoinOf } from './wrappedCoins.ts';

/**
 * Chainlink's USD feeds (the proxies, which stay when an aggregator is replaced) of native coins and of the tokens that most
 * value is held in, as published at docs.chain.link; as of November 2026.
 */
export function findKnownFeed(chainUid: string, token: string): string | undefined {
  return knownFeeds[chainUid]?.[token.toLowerCase()];
}

/** The assets of a chain that have a feed. */
export function pricedAssets(chainUid: string): readonly string[] {
  return Object.keys(knownFeeds[chainUid] ?? {});
}

const ethereumEther = '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419';
const arbitrumEther = '0x639fe6ab55c921f74e7fac1ee960c0b6293ba612';
const optimismEther = '0x13e3ee699d1909e989722e753853ae30b17e08c5';
const baseEther = '0x71041dddad3595f9ced3dccfbe3d1f4b0a16bb70';
/** WETH on the chains of the OP stack. */
const opWrapped = '0x4200000000000000000000000000000000000006';

const knownFeeds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ethereum: {
    [native]: ethereumEther,
    // WETH, USDC, USDT, DAI
    '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2': ethereumEther,
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48': '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6',
    '0xdac17f958d2ee523a2206206994597c13d831ec7': '0x3e7d1eab13ad0104d2750b8863b489d65364e32d',
    '0x6b175474e89094c44da98b954eedeac495271d0f': '0xaed0c38402a5d19df6e4c03f4e2dced6e29c1ee9',
  },
  arbitrum: {
    [native]: arbitrumEther,
    // WETH, USDC, USDT
    '0x82af49447d8a07e3bd95bd0d56f35241523fbab1': arbitrumEther,
    '0xaf88d065e77c8cc2239327c5edb3a432268e5831': '0x50834f3163758fcc1df9973b6e91f0f0f0434ad3',
    '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9': '0x3f3f5df88dc9f13eac63df89ec16ef6e7e25dde7',
  },
  optimism: { [native]: optimismEther, [opWrapped]: optimismEther },
  base: {
    [native]: baseEther,
    [opWrapped]: baseEther,
    // USDC
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913': '0x7e860098f58bbfc8648a4311b374b1d669a2bc6b',
  },
  bsc: withWrapped('bsc', '0x0567f2323251f0aab15c8dfb1967e4e8a7d42aee'),
  polygon: withWrapped('polygon', '0xab594600376ec9fd91f8e885dadf0ce036862de0'),
  avalanche: withWrapped('avalanche', '0x0a77230d17318075983913bc2145db16c7366156'),
};

function withWrapped(chainUid: string, feed: string): Readonly<Record<string, string>> {
  return { [native]: feed, [wrappedCoinOf(chainUid)!]: feed };
}
