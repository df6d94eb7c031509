import { setTimeout as sleep } from 'node:timers/promises';
import { Secp256k1 } from 'ox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { sized } from '../../testing/proveSize.ts';
import type { Arrival } from '../../testing/simulator/arrival.ts';
import { addressOf } from '../../testing/simulator/signTransfer.ts';
import { until } from '../../testing/until.ts';
import { addGuard, numberIn } from './support/addGuard.ts';
import { ended, findIntents, skipWaits } from './support/intents.ts';
import { type Actor, openActor } from './support/openActor.ts';
import { type SimulatedWorld, startSimulatedWorld } from './support/startSimulatedWorld.ts';

const runs = Number(process.env.PROVE_ROUNDS ?? sized(3, 6));
const gwei = 1_000_000_000n;
const hourMs = 3_600_000;
const cheap = { baseFee: gwei / 10n, tip: gwei / 100n, minPrice: 0n };

/** A wallet with its limits in wei, and the alerts that fire it. */
type Limited = { maxGasPrice: bigint | null; maxHourlySpend: bigint | null; numbers: Set<number> };

describe('limits of a wallet', { timeout: 600_000 }, () => {
  const random = createRandom('limits');
  let world: SimulatedWorld;
  let actors: Actor[];
  let tenants = 0;
  /** Of the clock that the actors read, from a moment of the real one on. */
  const skews = [{ since: 0, ms: 0 }];
  const seen = { transactions: 0, failed: 0, replaced: 0, waits: new Set<string>() };
  const clockAt = (ms: number) => ms + skews.findLast(({ since }) => since <= ms)!.ms;
  const now = () => clockAt(Date.now());

  beforeAll(async () => {
    world = await startSimulatedWorld();
    const { keyring } = world.vigil.services;
    actors = await Promise.all(
      [1, 2].map(async () => (await openActor(world.setup, keyring)).start({ now })),
    );
  });
  afterAll(async () => {
    await Promise.all(actors?.map((actor) => actor.stop()) ?? []);
    await world?.stop();
  });

  for (let run = 1; run <= runs; run++)
    it(`run ${run} of ${runs}: no transaction offers more than the price, no hour costs more than the sum`, async () => {
      const { mempool, chain, vigil } = world;
      const isLegacy = run % 3 === 0;
      // Alerts are raised by the real clock, and nothing waits for more than eight hours.
      skews.push({ since: Date.now(), ms: 0 });
      const minedAt = new Map<number, number>();
      const stopListening = chain.onHead(({ number }) => minedAt.set(number, now()));
      const key = Secp256k1.randomPrivateKey();
      const address = addressOf(key).toLowerCase();
      mempool.setBalance(address, 10n ** 24n);
      mempool.setMarket(isLegacy ? { baseFee: null, tip: gwei, minPrice: 0n } : cheap);
      chain.extend(6);
      const guards = [await addLimited(key), await addLimited(key)];
      for (let step = 0; step < 14; step++) {
        const { guard, limited } = random.pick(guards);
        if (random.chance(0.6))
          for (const number of await guard.raise(1 + random.below(4))) limited.numbers.add(number);
        if (random.chance(0.5)) mempool.setMarket(randomMarket(isLegacy));
        if (random.chance(0.4))
          skews.push({ since: Date.now(), ms: skews.at(-1)!.ms + random.below(hourMs / 2) });
        if (random.chance(0.6)) chain.extend(1 + random.below(2));
        await skipWaits(vigil);
        await sleep(80);
        for (const { reason, state } of await findIntents(vigil))
          if (reason && /WAITING|SUBMITTED/.test(state))
            seen.waits.add(reason.replace(/[\d.]+ gwei/, 'n gwei'));
      }
      mempool.setMarket(isLegacy ? { baseFee: null, tip: gwei / 100n, minPrice: 0n } : cheap);
      await settle();
      stopListening();
      const arrivals = mempool.arrivals.filter(({ tx }) => tx.from === address);
      seen.transactions += arrivals.length;
      for (const { limited } of guards) expect(breaches(limited, arrivals, minedAt)).toEqual([]);
      const intents = (await findIntents(vigil)).filter(({ number }) =>
        guards.some(({ limited }) => limited.numbers.has(number)),
      );
      const failed = intents.filter(({ state }) => state !== 'CONFIRMED');
      for (const { state, reason, outcomes } of failed)
        expect({ state, reason, outcomes }).toEqual({
          state: 'FAILED',
          reason: expect.stringMatching(
            /^The wallet may spend .* on gas within an hour; .* are spent or reserved/,
          ),
          outcomes: ['failed'],
        });
      seen.failed += failed.length;
      seen.replaced += intents.reduce((sum, { attempts }) => sum + Math.max(0, attempts - 1), 0);
    });

  it('many transactions were seen', () => {
    console.log(`SEED=${random.seed}: ${JSON.stringify({ ...seen, waits: [...seen.waits] })}`);
    expect(seen.transactions).toBeGreaterThan(runs * 3);
  });

  it('a call that the wallet may not pay now is reported, as a reason to wait or to end', async () => {
    const { mempool, chain, vigil } = world;
    const key = Secp256k1.randomPrivateKey();
    mempool.setBalance(addressOf(key), 10n ** 24n);
    mempool.setMarket({ baseFee: 5n * gwei, tip: gwei / 100n, minPrice: 0n });
    skews.push({ since: Date.now(), ms: 0 });
    chain.extend(6);
    const { id: tenantId } = await vigil.ok('POST', 'tenant', { name: 'Thrifty' });
    // Enough for one call at the highest price, and not for two.
    const wallet = { privateKey: key, maxGasPrice: '4', maxHourlySpend: '0.0003' };
    const guard = await addGuard(vigil, { tenantId, wallet });
    const [first] = await guard.raise(1);
    const find = async (number: number) => (await findIntents(vigil)).find((one) => one.number === number)!;
    await until(async () => (await find(first!)).reason !== null);
    expect(await find(first!)).toMatchObject({
      state: 'WAITING',
      reason: 'Gas costs more than the 4 gwei that the wallet may pay.',
    });
    mempool.setMarket({ baseFee: 3n * gwei });
    await skipWaits(vigil);
    await until(async () => (await find(first!)).state === 'SUBMITTED');
    const [second] = await guard.raise(1);
    await until(async () => (await find(second!)).state === 'FAILED');
    expect((await find(second!)).reason).toMatch(/^The wallet may spend 0\.0003 ETH on gas within an hour; /);
    mempool.setMarket({ baseFee: 5n * gwei });
    skews.push({ since: Date.now(), ms: 61_000 });
    await skipWaits(vigil);
    await until(async () => (await find(first!)).reason !== null);
    expect((await find(first!)).reason).toBe(
      'It waits for a cheaper block: the wallet may not pay more than 4 gwei for gas.',
    );
    mempool.setMarket(cheap);
    await settle();
    expect(await find(first!)).toMatchObject({ state: 'CONFIRMED', attempts: 1 });
  });

  async function settle(): Promise<void> {
    await ended(world.vigil, async () => {
      world.chain.extend(1);
      skews.push({ since: Date.now(), ms: skews.at(-1)!.ms + 1000 });
      await skipWaits(world.vigil);
      await sleep(40);
    });
  }

  async function addLimited(privateKey: string) {
    const price = BigInt(3 + random.below(60));
    const spend = BigInt(100 + random.below(900));
    const limited: Limited = {
      maxGasPrice: random.chance(0.8) ? (price * gwei) / 10n : null,
      maxHourlySpend: random.chance(0.8) ? spend * 1000n * gwei : null,
      numbers: new Set(),
    };
    const { id: tenantId } = await world.vigil.ok('POST', 'tenant', { name: `Limited ${++tenants}` });
    const guard = await addGuard(world.vigil, {
      tenantId,
      wallet: {
        privateKey,
        ...(limited.maxGasPrice === null ? {} : { maxGasPrice: `${price / 10n}.${price % 10n}` }),
        ...(limited.maxHourlySpend === null ? {} : { maxHourlySpend: `0.${String(spend).padStart(6, '0')}` }),
      },
      action: { gasPrice: random.pick(['slow', 'market', 'fast', 'fastest', '0.5', '4']) },
    });
    return { guard, limited };
  }

  function randomMarket(isLegacy: boolean) {
    const price = (BigInt(1 + random.below(random.chance(0.3) ? 100 : 20)) * gwei) / 10n;
    const minPrice = random.chance(0.3) ? price * 2n : 0n;
    return isLegacy
      ? { baseFee: null, tip: price, minPrice }
      : { baseFee: price, tip: price / BigInt(1 + random.below(20)), minPrice };
  }

  /** What was offered above the price, and when more was spent or at stake than an hour may cost. */
  function breaches(limited: Limited, arrivals: readonly Arrival[], minedAt: ReadonlyMap<number, number>) {
    const own = arrivals.filter(({ tx }) => limited.numbers.has(numberIn(tx.data)));
    const { maxGasPrice, maxHourlySpend } = limited;
    const dear = own.filter(({ tx }) => maxGasPrice !== null && tx.maxFee > maxGasPrice);
    const minings = new Map(world.mempool.minings.map((mining) => [numberIn(mining.tx.data), mining]));
    const overspent = own.flatMap(({ atMs }) => {
      const at = clockAt(atMs);
      const costs = new Map<number, bigint>();
      for (const { tx } of own.filter((other) => other.atMs <= atMs)) {
        const number = numberIn(tx.data);
        const mining = minings.get(number);
        const minedTime = mining && minedAt.get(mining.blockNumber)!;
        const atMost = BigInt(tx.gas) * tx.maxFee;
        if (mining && minedTime! <= at)
          costs.set(number, minedTime! > at - hourMs ? BigInt(mining.gasUsed) * mining.price : 0n);
        else if (atMost > (costs.get(number) ?? 0n)) costs.set(number, atMost);
      }
      const sum = [...costs.values()].reduce((total, cost) => total + cost, 0n);
      return maxHourlySpend !== null && sum > maxHourlySpend ? [{ sum, maxHourlySpend }] : [];
    });
    return [...dear, ...overspent];
  }
});
