import type { Inspection } from '../../../src/model/contractKinds.ts';
import { createSeededRandom } from '../../../testing/seededRandom.ts';
import { cast, implementationSlot } from './cast.ts';
import { coin, type World } from './createWorld.ts';

const random = createSeededRandom(7);
const address = () => `0x${random.hex(40)}`;

/** Contracts as they stand on the main network: two tokens with a known price, and those that move them. */
export const mainnet = {
  weth: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  usdc: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  etherFeed: '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419',
  usdcFeed: '0x8fffffd4afb6115b954bd326cbe7b4ba576818f6',
  permit2: address(),
  routerV2: address(),
  routerV3: address(),
  universalRouter: address(),
  positions: address(),
  aggregator: address(),
  executor: address(),
  /** A token without a price, its pair and its pool; pools of the two with a price. */
  meme: address(),
  memePair: address(),
  memePool: address(),
  pair: address(),
  pool: address(),
  poolManager: address(),
  hook: address(),
  balancer: address(),
  lender: address(),
  market: address(),
  settlement: address(),
  relayer: address(),
  entryPoint: address(),
  account: address(),
  taxToken: address(),
  taxPair: address(),
  rebasing: address(),
  share: address(),
  strategy: address(),
  collection: address(),
  items: address(),
  exchange: address(),
  conduit: address(),
  treasury: address(),
  module: address(),
  bot: address(),
  builder: address(),
  payer: address(),
  rollup: address(),
  bundler: address(),
  hotWallet: address(),
};

const { weth, usdc, meme, taxToken, rebasing, share } = mainnet;

export type Party = { readonly address: string; readonly inspection: Inspection };

const contract = (
  where: string,
  kinds: Inspection['kinds'] = [],
  facts: Inspection['facts'] = {},
): Party => ({
  address: where,
  inspection: { hasCode: true, kinds, proxyKind: null, implementation: null, facts },
});
const million = (10n ** 24n).toString();

/** Those of them that someone would watch, and what Vigil sees at their addresses. */
export const parties: readonly Party[] = [
  contract(meme, ['ERC20', 'OWNABLE'], { totalSupply: `${million}000`, decimals: 18, symbol: 'MEME' }),
  contract(taxToken, ['ERC20', 'OWNABLE'], { totalSupply: million, decimals: 18, symbol: 'TAX' }),
  contract(rebasing, ['ERC20'], { totalSupply: million, decimals: 18, symbol: 'REB' }),
  contract(share, ['ERC20', 'ERC4626', 'PAUSABLE'], { asset: usdc, decimals: 18, totalSupply: million }),
  contract(mainnet.pair, ['ERC20', 'POOL'], { tokens: [usdc, weth] }),
  contract(mainnet.memePair, ['ERC20', 'POOL'], { tokens: [meme, weth] }),
  contract(mainnet.taxPair, ['ERC20', 'POOL'], { tokens: [taxToken, weth] }),
  contract(mainnet.pool, ['POOL'], { tokens: [usdc, weth] }),
  contract(mainnet.memePool, ['POOL'], { tokens: [meme, weth] }),
  contract(mainnet.treasury, ['SAFE', 'PROXY'], {}),
  contract(mainnet.account, ['PROXY', 'UPGRADABLE'], {}),
  contract(mainnet.collection, ['ERC721', 'OWNABLE'], {}),
  contract(mainnet.items, ['ERC1155', 'OWNABLE'], {}),
  contract(mainnet.market, ['PROXY', 'ACCESS_CONTROL', 'PAUSABLE'], {}),
  ...[
    mainnet.routerV2,
    mainnet.routerV3,
    mainnet.universalRouter,
    mainnet.positions,
    mainnet.aggregator,
    mainnet.executor,
    mainnet.poolManager,
    mainnet.balancer,
    mainnet.lender,
    mainnet.settlement,
    mainnet.entryPoint,
    mainnet.exchange,
    mainnet.strategy,
    mainnet.bot,
    mainnet.permit2,
    mainnet.conduit,
    mainnet.rollup,
  ].map((where) => contract(where)),
  {
    address: mainnet.payer,
    inspection: { hasCode: false, kinds: [], proxyKind: null, implementation: null, facts: {} },
  },
];

/** What all of them hold before the first block. */
export function placeMainnet(world: World): void {
  const zero = `0x${'0'.repeat(40)}`;
  const give = (token: string, to: string, whole: number) =>
    world.transfer(token, zero, to, BigInt(whole) * coin);
  for (const user of cast.users)
    for (const [token, whole] of [
      [weth, 200],
      [usdc, 400_000],
      [meme, 1_500_000],
      [taxToken, 1_000],
      [rebasing, 500],
    ] as const)
      give(token, user, whole);
  for (const [token, holder, whole] of [
    [usdc, mainnet.pair, 40_000_000],
    [weth, mainnet.pair, 20_000],
    [meme, mainnet.memePair, 250_000_000],
    [weth, mainnet.memePair, 500],
    [meme, mainnet.memePool, 100_000_000],
    [weth, mainnet.memePool, 200],
    [taxToken, mainnet.taxPair, 500_000],
    [weth, mainnet.taxPair, 300],
    [usdc, mainnet.pool, 100_000_000],
    [weth, mainnet.pool, 50_000],
    [usdc, mainnet.poolManager, 60_000_000],
    [weth, mainnet.poolManager, 2_000],
    [meme, mainnet.poolManager, 40_000_000],
    [usdc, mainnet.balancer, 30_000_000],
    [weth, mainnet.balancer, 40_000],
    [usdc, mainnet.lender, 200_000_000],
    [weth, mainnet.lender, 100_000],
    [usdc, mainnet.market, 50_000_000],
    [weth, mainnet.market, 30_000],
    [usdc, share, 500_000],
    [usdc, mainnet.strategy, 9_500_000],
    [rebasing, mainnet.strategy, 100_000],
    [usdc, mainnet.treasury, 3_000_000],
    [weth, mainnet.treasury, 400],
    [usdc, mainnet.account, 5_000],
    [weth, mainnet.bot, 800],
    [usdc, mainnet.bot, 900_000],
    [usdc, mainnet.settlement, 40_000],
    [usdc, mainnet.payer, 500_000],
    [usdc, mainnet.hotWallet, 90_000_000],
    [meme, mainnet.hotWallet, 150_000_000],
    [share, cast.users[0]!, 9_000_000],
    [share, cast.users[1]!, 1_000_000],
  ] as const)
    give(token, holder, whole);
  for (const [holder, whole] of [
    [weth, 3_000_000],
    [mainnet.poolManager, 30_000],
    [mainnet.entryPoint, 400],
    [mainnet.treasury, 900],
    [mainnet.account, 3],
    [mainnet.bot, 60],
    [mainnet.settlement, 2],
    [taxToken, 1],
    [mainnet.payer, 40],
    [mainnet.hotWallet, 20_000],
    [mainnet.bundler, 50],
  ] as const)
    world.set(`balance ${holder}`, BigInt(whole) * coin);
  const now = BigInt(Math.floor(world.now / 1000));
  for (const [feed, price] of [
    [mainnet.etherFeed, 2_000n],
    [mainnet.usdcFeed, 1n],
  ] as const) {
    world.set(`price ${feed}`, price * 10n ** 8n);
    world.set(`updated ${feed}`, now + 86_400n);
  }
  for (const [pool, first, second] of [
    [mainnet.pair, usdc, weth],
    [mainnet.memePair, meme, weth],
    [mainnet.taxPair, taxToken, weth],
    [mainnet.pool, usdc, weth],
    [mainnet.memePool, meme, weth],
  ] as const) {
    world.set(`token0 ${pool}`, first);
    world.set(`token1 ${pool}`, second);
    world.sync(pool, first, second);
    world.set(`root ${pool}`, rootOf(world, pool, first, second));
  }
  world.set(`rate ${share}`, coin);
  for (const [place, { address: where, inspection }] of parties.entries())
    if (inspection.hasCode) world.set(`code ${where}`, `0x6081${place.toString(16).padStart(4, '0')}`);
  for (const proxy of [mainnet.account, mainnet.market, mainnet.treasury])
    world.set(`slot ${proxy} ${implementationSlot}`, `0x${cast.implementation.slice(2).padStart(64, '0')}`);
}

/** The root of the price of a pool, with 96 bits of fraction, from what it holds. */
export function rootOf(world: World, pool: string, first: string, second: string): bigint {
  const [a, b] = [first, second].map((token) => Number(world.get(`token ${token} ${pool}`)));
  return BigInt(Math.floor(Math.sqrt(b! / a!) * 2 ** 48)) << 48n;
}
