import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { randomStrikes, type Strike, type Strikes } from '../../testing/simulator/strikes.ts';
import { addGuard, sender } from './support/addGuard.ts';
import { type Actors, createActors } from './support/createActors.ts';
import { ended, expireLeases, faultsOf, findIntents } from './support/intents.ts';
import { type SimulatedWorld, startSimulatedWorld } from './support/startSimulatedWorld.ts';

const gwei = 1_000_000_000n;
const fires = 200;

describe('200 concurrent fires on one wallet', () => {
  const random = createRandom('nonces');
  let world: SimulatedWorld;
  let actors: Actors;

  beforeAll(async () => {
    world = await startSimulatedWorld({ nodes: 2, stuckMs: 1500 });
    actors = await createActors(world.setup);
  });
  afterAll(async () => {
    await actors?.stop();
    await world?.stop();
  });

  it('are mined once each, without gap or reuse, whatever becomes of requests and answers', async () => {
    const { vigil, mempool, simulators, chain } = world;
    const guard = await addGuard(vigil);
    for (const [place, simulator] of simulators.entries())
      simulator.setFaults({ strikes: strikesOf(random.seed + place), latencyMs: [0, 30] });
    mempool.mineEvery(400);
    await Promise.all([actors.start(), actors.start()]);
    await Promise.all(Array.from({ length: 10 }, () => guard.raise(fires / 10)));
    const startedAt = performance.now();
    const counts = { forgotten: 0, forks: 0, leases: 0, markets: 0 };
    await ended(vigil, unsettle);
    const intents = await findIntents(vigil);
    expect(faultsOf(intents, world.mined())).toEqual([]);
    expect(world.mined().length).toBe(fires);
    expect(mempool.nonceFaults()).toEqual([]);
    const outcomes = new Map<string, number>();
    for (const { outcome } of mempool.arrivals) {
      const name = outcome.replace(/:.*/, '');
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
    }
    const replaced = intents.reduce((sum, { attempts }) => sum + attempts - 1, 0);
    console.log(
      `SEED=${random.seed}: ${JSON.stringify({ ...counts, replaced, ...Object.fromEntries(outcomes) })}`,
    );
    expect(outcomes.get('lost'), 'requests were lost').toBeGreaterThan(0);
    expect(outcomes.get('already known'), 'some was sent twice').toBeGreaterThan(0);
    expect(mempool.arrivals.length).toBeGreaterThan(fires);

    /** What else can happen to a chain and to processes. */
    async function unsettle(): Promise<void> {
      await sleep(50);
      // It comes to rest in the end, but requests are struck until then.
      if (performance.now() - startedAt > 5000) return mempool.setMarket({ baseFee: gwei, minPrice: 0n });
      if (random.chance(0.1)) {
        const minPrice = random.chance(0.5) ? (BigInt(20 + random.below(10)) * gwei) / 10n : 0n;
        mempool.setMarket({ baseFee: (BigInt(5 + random.below(30)) * gwei) / 10n, minPrice });
        counts.markets++;
      }
      const pending = mempool.pending(sender);
      if (pending.length > 0 && random.chance(0.1)) {
        mempool.forget(random.pick(pending).hash);
        counts.forgotten++;
      }
      if (random.chance(0.05)) {
        chain.fork(chain.head.number - 1, 1 + random.below(2));
        counts.forks++;
      }
      // As if a process had slept longer than it may: what it claimed is claimed by the other one as well.
      if (random.chance(0.05)) {
        await expireLeases(vigil);
        counts.leases++;
      }
    }
  });
});

/** A batch is struck when one of its calls is, so that those of which it has many are struck seldom. */
function strikesOf(seed: number): Strikes {
  const kinds: readonly (readonly [number, Strike])[] = [
    [0.1, 'loseRequest'],
    [0.08, 'loseReply'],
    [0.005, 'swallowRequest'],
    [0.005, 'swallowReply'],
    [0.06, 'repeat'],
    [0.06, 'overtaken'],
    [0.06, 'reverse'],
    [0.03, 429],
    [0.03, 500],
    [0.03, 504],
    [0.06, { delayMs: 400 }],
    [0.06, { lateMs: 400 }],
  ];
  const seldom = kinds.map(([share, strike]) => [share / 20, strike] as const);
  const single = randomStrikes(seed, kinds, ['eth_gasPrice', 'eth_blockNumber']);
  const many = randomStrikes(seed + 1, seldom, ['eth_sendRawTransaction']);
  // However the dice fall, something is lost on its way there and something on its way back.
  const certain: [number, Strike][] = [
    [0, 'loseRequest'],
    [90, 'loseReply'],
  ];
  return (method, nth) => {
    const next = method === 'eth_sendRawTransaction' ? certain[0] : undefined;
    if (next && nth >= next[0]) return certain.shift()![1];
    return single(method, nth) ?? many(method, nth);
  };
}
