import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTurns } from '../../testing/createTurns.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { addGuard, type Guard, numberIn, privateKey, sender } from './support/addGuard.ts';
import { type ActorProcess, type Actors, createActors } from './support/createActors.ts';
import { findPoints } from './support/findPoints.ts';
import { ended, expireLeases, faultsOf, findIntents, skipWaits } from './support/intents.ts';
import { type SimulatedWorld, startSimulatedWorld } from './support/startSimulatedWorld.ts';

/** The promise is held for 50 rounds, with PROVE_ROUNDS=50; without, every run takes other steps, a quarter of them. */
const rounds = Number(process.env.PROVE_ROUNDS ?? 1);
const intentsPerRound = 3;
const gwei = 1_000_000_000n;

/** Every step that the product reports, and three times any moment. */
const allMoments = [
  ...findPoints(),
  'any moment',
  'any moment, with a fork',
  'any moment, with two processes',
];
const isTurn = createTurns('moments of action crashes', 4);
const moments = allMoments.filter((_, n) => rounds > 1 || isTurn(n));

describe('kill -9 while actions are fired', { timeout: 3_600_000 }, () => {
  const random = createRandom('action crashes');
  let world: SimulatedWorld;
  let guard: Guard;
  let actors: Actors;
  let actor: ActorProcess;
  let kills = 0;
  let replaced = 0;

  beforeAll(async () => {
    world = await startSimulatedWorld({ stuckMs: 400 });
    guard = await addGuard(world.vigil);
    actors = await createActors(world.setup);
    world.mempool.mineEvery(60);
    actor = await actors.start();
  });
  afterAll(async () => {
    await actors?.stop();
    await world?.stop();
  });

  it('the product reports all 17 steps', () => {
    expect(allMoments.length).toBe(20);
  });

  for (const moment of moments)
    it(`${moment}: each intent is mined once and reported once, without a gap (${rounds} times)`, async () => {
      for (let round = 0; round < rounds; round++) await crash(moment);
      await ended(world.vigil, hurry);
      expect(await findFaults()).toEqual([]);
    });

  /** Whoever comes next takes over what the dead one has left, and may die of it. */
  async function crash(moment: string): Promise<void> {
    // Blocks take the second price that is offered at the earliest, so that something has to be replaced.
    const isDear = moment.includes('replaced') || moment === moments[0] || random.chance(0.1);
    world.mempool.setMarket({ minPrice: isDear ? (21n * gwei) / 10n : 0n });
    if (moment.startsWith('any moment')) await crashAnyTime(moment);
    else {
      const nth = 1 + random.below(moment.includes('receipts') ? 3 : 1);
      await actor.killAt(moment, nth);
      await guard.raise(intentsPerRound);
    }
    await ended(world.vigil, hurry, () => !actor.isAlive());
    // One that dies of the very last step is still on its way out.
    await sleep(50);
    if (actor.isAlive()) await actor.kill();
    else kills++;
    await expireLeases(world.vigil);
    actor = await actors.start();
  }

  async function crashAnyTime(moment: string): Promise<void> {
    const other = moment.includes('two processes') ? await actors.start() : undefined;
    await guard.raise(intentsPerRound);
    await sleep(random.below(500));
    const { chain } = world;
    if (moment.includes('fork')) chain.fork(chain.head.number - 1, 1 + random.below(2));
    await Promise.all([actor.kill(), other?.kill()]);
  }

  async function hurry(): Promise<void> {
    await sleep(40);
    await skipWaits(world.vigil);
  }

  async function findFaults(): Promise<unknown[]> {
    const intents = await findIntents(world.vigil);
    replaced = intents.reduce((sum, { attempts }) => sum + attempts - 1, 0);
    return [...faultsOf(intents, world.mined()), ...world.mempool.nonceFaults()];
  }

  it('all of that was really done', async () => {
    // Some die of nothing, because the nth time never came; of few moments the share may be larger.
    expect(kills).toBeGreaterThanOrEqual(rounds * moments.length * (rounds > 1 ? 0.75 : 0.6));
    expect(replaced).toBeGreaterThanOrEqual(rounds * 3);
    console.log(
      `SEED=${random.seed}: ${kills} kills in ${rounds * moments.length} rounds, ${world.mined().length} intents, ` +
        `${world.mempool.arrivals.length} transactions sent, ${replaced} replaced`,
    );
  });
});

describe('kill -9 while actions are fired on anvil', { timeout: 600_000 }, () => {
  const random = createRandom('action crashes on anvil');
  let anvil: Anvil;
  let vigil: TestWatch;
  let actors: Actors;

  beforeAll(async () => {
    anvil = await startAnvil();
    const settings = { urls: [anvil.url], confirmations: 1 };
    vigil = await startTestWatch({ anvil: settings });
    const { connection } = vigil;
    actors = await createActors({ connection, chainUid: 'anvil', ...settings, privateKey, stuckMs: 2000 });
  });
  afterAll(async () => {
    await actors?.stop();
    await vigil?.stop();
    await anvil?.stop();
  });

  it('each intent is mined once and reported once, without a gap', async () => {
    const victim = await anvil.deploy(artifacts.Victim);
    await anvil.setBalance(sender, 10n ** 20n);
    const guard = await addGuard(vigil, { address: victim.address });
    const points = findPoints().filter((point) => !point.includes('replaced'));
    const chosen = rounds > 1 ? points : [...points].sort(() => random.random() - 0.5).slice(0, 3);
    await anvil.setAutomine(false);
    const hurry = async () => {
      await sleep(60);
      await anvil.mine();
      await skipWaits(vigil);
    };
    let actor = await actors.start();
    for (const point of chosen) {
      await actor.killAt(point, 1);
      await guard.raise(intentsPerRound);
      await ended(vigil, hurry, () => !actor.isAlive());
      await until(() => !actor.isAlive());
      await expireLeases(vigil);
      actor = await actors.start();
      await ended(vigil, hurry);
    }
    const mined = await findMined(anvil);
    expect(faultsOf(await findIntents(vigil), mined)).toEqual([]);
    expect(await victim.call('count')).toBe(BigInt(chosen.length * intentsPerRound));
    expect(new Set(mined.map(({ data }) => numberIn(data))).size).toBe(mined.length);
  });
});

async function findMined(anvil: Anvil): Promise<{ nonce: number; data: string }[]> {
  type Block = { transactions: { from: string; nonce: string; input: string }[] };
  const mined: { nonce: number; data: string }[] = [];
  const head = Number(await anvil.rpc('eth_blockNumber'));
  for (let number = 0; number <= head; number++) {
    const { transactions } = await anvil.rpc<Block>('eth_getBlockByNumber', `0x${number.toString(16)}`, true);
    for (const { from, nonce, input } of transactions)
      if (from.toLowerCase() === sender) mined.push({ nonce: Number(nonce), data: input });
  }
  return mined;
}
