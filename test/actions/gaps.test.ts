import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signTransfer } from '../../testing/simulator/signTransfer.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { addGuard, type Guard, privateKey, sender } from './support/addGuard.ts';
import { ended, expireLeases, findIntents, type Intent, skipWaits } from './support/intents.ts';
import { type Actor, openActor } from './support/openActor.ts';
import { type SimulatedWorld, startSimulatedWorld } from './support/startSimulatedWorld.ts';

const gwei = 1_000_000_000n;

describe('a number that is missing below those of a wallet', () => {
  let world: SimulatedWorld;
  let guard: Guard;
  let actors: Actor[];
  let skewMs = 0;
  const now = () => Date.now() + skewMs;

  beforeAll(async () => {
    world = await startSimulatedWorld();
    guard = await addGuard(world.vigil);
    world.chain.extend(1);
    actors = await Promise.all([1, 2].map(async () => (await openActor(world.setup)).start({ now })));
  });
  afterAll(async () => {
    await Promise.all(actors?.map((actor) => actor.stop()) ?? []);
    await world?.stop();
  });

  const nextNonce = () => world.mempool.nonce(sender, 'pending');
  const foreign = (nonce: number, maxFee?: bigint) =>
    world.mempool.submit(
      signTransfer({ key: privateKey, chainId: 31337, nonce, ...(maxFee ? { maxFee, tip: maxFee } : {}) }),
    );
  const find = async (number: number): Promise<Intent> =>
    (await findIntents(world.vigil)).find((intent) => intent.number === number)!;

  /** Newest first. */
  async function fillers(): Promise<Json[]> {
    const { data } = await world.vigil.ok('GET', `action/${guard.actionId}/intent?size=1000`);
    return data.filter(({ binding }: Json) => binding === 'filler');
  }

  async function submitted(count: number): Promise<number[]> {
    const numbers = await guard.raise(count);
    await until(async () => {
      const states = await Promise.all(numbers.map(async (number) => (await find(number)).state));
      return states.every((state) => state === 'SUBMITTED');
    });
    return numbers;
  }

  async function finish(): Promise<void> {
    await ended(world.vigil, async () => {
      world.chain.extend(1);
      skewMs += 20_000;
      await skipWaits(world.vigil);
      await sleep(50);
    });
  }

  /** Lets time pass, without a block, until something is seen. */
  async function pass(ms: number, isSeen: () => Promise<boolean>): Promise<void> {
    skewMs += ms;
    await until(async () => {
      await expireLeases(world.vigil);
      await skipWaits(world.vigil);
      await sleep(100);
      return isSeen();
    });
  }

  it('a nonce that a pool dropped below those of a wallet is filled after three minutes, and the calls continue', async () => {
    const first = nextNonce();
    const hashes = [foreign(first), foreign(first + 1)];
    const numbers = await submitted(3);
    for (const hash of hashes) world.mempool.forget(hash);
    const reason = `It waits for the nonce ${first} of the wallet, for which the node has no transaction.`;
    await pass(120_000, async () =>
      (await findIntents(world.vigil)).some((intent) => intent.reason === reason),
    );
    expect(await fillers()).toEqual([]);
    await pass(61_000, async () => nextNonce() === first + 5);
    await finish();
    for (const number of numbers) expect(await find(number)).toMatchObject({ state: 'CONFIRMED' });
    expect(await fillers()).toMatchObject([
      { state: 'CONFIRMED', nonce: first + 1, transactions: [{ isVoid: true }] },
      { state: 'CONFIRMED', nonce: first, transactions: [{ isVoid: true }] },
    ]);
    const { data: told } = await world.vigil.ok('POST', `contract/${guard.contractId}/action/alert/search`, {
      query: 'message:"empty transaction"',
      size: 100,
    });
    expect(told.map(({ meta }: Json) => meta.outcome).sort()).toEqual([
      'confirmed',
      'confirmed',
      'submitted',
      'submitted',
    ]);
  });

  it('a nonce that a deep fork took back below those of a wallet is filled as well', async () => {
    const before = await fillers();
    const mined = await submitted(2);
    await finish();
    for (const number of mined) expect(await find(number)).toMatchObject({ state: 'CONFIRMED' });
    const block = Math.min(
      ...world.mempool
        .mined(sender)
        .slice(-2)
        .map(({ blockNumber }) => blockNumber),
    );
    const [later] = await submitted(1);
    const { nonce } = await find(later!);
    const lost = world.chain.head.number - block + 1;
    const blocks = Array.from({ length: lost + 1 }, () => ({ takesNone: true }));
    world.chain.fork(block - 1, blocks);
    for (const tx of world.mempool.pending(sender)) if (tx.nonce < nonce!) world.mempool.forget(tx.hash);
    expect(nextNonce()).toBe(nonce! - 2);
    await pass(181_000, async () => nextNonce() === nonce! + 1);
    await finish();
    expect(await find(later!)).toMatchObject({ state: 'CONFIRMED' });
    expect((await fillers()).length - before.length).toBe(2);
  });

  it('a missing nonce that is used after all ends without cost or alarm', async () => {
    const first = nextNonce();
    const hash = foreign(first);
    const [number] = await submitted(1);
    world.mempool.forget(hash);
    // It is back, at a price that nobody goes over.
    foreign(first, 1000n * gwei);
    world.simulators[0]!.setFaults({ blindPool: true });
    await pass(181_000, async () => (await fillers())[0]?.nonce === first);
    world.simulators[0]!.setFaults({});
    await finish();
    expect(await find(number!)).toMatchObject({ state: 'CONFIRMED' });
    expect((await fillers())[0]).toMatchObject({
      nonce: first,
      state: 'CANCELED',
      reason: 'The nonce was used after all.',
      cost: '0',
    });
  });

  it('is not filled for more than the wallet may spend, and the reason is reported', async () => {
    const before = await fillers();
    const first = nextNonce();
    const hash = foreign(first);
    const [number] = await submitted(1);
    world.mempool.forget(hash);
    await world.vigil.ok('PUT', `wallet/${guard.walletId}`, { maxHourlySpend: '0.000001' });
    const reason =
      /^It waits for the nonce \d+ of the wallet.* The wallet may spend 0\.000001 ETH on gas within/;
    await pass(181_000, async () => reason.test((await find(number!)).reason ?? ''));
    expect((await fillers()).length).toBe(before.length);
    await world.vigil.ok('PUT', `wallet/${guard.walletId}`, { maxHourlySpend: null });
    await finish();
    expect(await find(number!)).toMatchObject({ state: 'CONFIRMED' });
  });
});
