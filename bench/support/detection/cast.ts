import { createSeededRandom } from '../../../testing/seededRandom.ts';
import { coin, createWorld, type World } from './createWorld.ts';

const random = createSeededRandom(1);
const address = () => `0x${random.hex(40)}`;

/** Who takes part; the same in every run. */
export const cast = {
  token: address(),
  usd: address(),
  vault: address(),
  pool: address(),
  lending: address(),
  bridge: address(),
  safe: address(),
  governor: address(),
  proxy: address(),
  feed: address(),
  stableFeed: address(),
  router: address(),
  lender: address(),
  wallet: address(),
  implementation: address(),
  nextImplementation: address(),
  attacker: address(),
  allocation: address(),
  users: Array.from({ length: 300 }, address),
  suppliers: Array.from({ length: 4 }, address),
  spamTokens: Array.from({ length: 5 }, address),
};

export const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** Everything in place, before the first block. */
export function createStage(startAt: number): World {
  const world = createWorld(startAt);
  const zero = `0x${'0'.repeat(40)}`;
  const { token, usd } = cast;
  const give = (asset: string, to: string, whole: number) =>
    world.transfer(asset, zero, to, BigInt(whole) * coin);
  for (const user of cast.users) {
    give(token, user, 20_000);
    give(usd, user, 50_000);
    world.set(`balance ${user}`, 100n * coin);
  }
  for (const [asset, holder, whole] of [
    [token, cast.vault, 1_000_000],
    [token, cast.pool, 500_000],
    [usd, cast.pool, 1_000_000],
    [usd, cast.lending, 2_000_000],
    [usd, cast.lender, 5_000_000],
    [usd, cast.wallet, 100_000],
    [token, cast.allocation, 250_000],
  ] as const)
    give(asset, holder, whole);
  world.set(`balance ${cast.bridge}`, 50_000n * coin);
  world.set(`balance ${cast.wallet}`, 20n * coin);
  world.set(`balance ${cast.safe}`, 500n * coin);
  world.set(
    `slot ${cast.proxy} ${implementationSlot}`,
    `0x${cast.implementation.slice(2).padStart(64, '0')}`,
  );
  for (const [place, contract] of [
    cast.vault,
    cast.pool,
    cast.lending,
    cast.bridge,
    cast.safe,
    cast.proxy,
    cast.router,
    cast.lender,
    cast.implementation,
    cast.nextImplementation,
  ].entries())
    world.set(`code ${contract}`, `0x6080${place.toString(16).padStart(4, '0')}`);
  world.set(`price ${cast.feed}`, 2_000n * 10n ** 8n);
  world.set(`price ${cast.stableFeed}`, 10n ** 8n);
  for (const feed of [cast.feed, cast.stableFeed])
    world.set(`updated ${feed}`, BigInt(Math.floor(startAt / 1000)));
  world.allocations.push({
    name: 'Team',
    address: cast.allocation,
    amounts: [{ at: 0, amount: '250000' }],
  });
  return world;
}
