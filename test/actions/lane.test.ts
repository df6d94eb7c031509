import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { signTransfer } from '../../testing/simulator/signTransfer.ts';
import type { Strike } from '../../testing/simulator/strikes.ts';
import { until } from '../../testing/until.ts';
import { addGuard, type Guard, privateKey, sender } from './support/addGuard.ts';
import { ended, expireLeases, faultsOf, findIntents, type Intent, skipWaits } from './support/intents.ts';
import { type Actor, openActor } from './support/openActor.ts';
import { type SimulatedWorld, startSimulatedWorld } from './support/startSimulatedWorld.ts';

const gwei = 1_000_000_000n;

describe('the numbers of a wallet', () => {
  let world: SimulatedWorld;
  let guard: Guard;
  let actor: Actor;
  let skewMs = 0;
  let isReverting = false;
  const now = () => Date.now() + skewMs;

  beforeAll(async () => {
    const contract = () => (isReverting ? { revert: 'not now' } : undefined);
    world = await startSimulatedWorld({ mempool: { balances: { [sender]: 10n ** 24n }, contract } });
    guard = await addGuard(world.vigil);
    actor = (await openActor(world.setup)).start({ now });
  });
  afterAll(async () => {
    await actor?.stop();
    await world?.stop();
  });

  /** The one intent of the last alert. */
  async function lastIntent(): Promise<Intent> {
    return (await findIntents(world.vigil)).at(-1)!;
  }

  async function reaches(...states: readonly Intent['state'][]): Promise<Intent> {
    await until(async () => states.includes((await lastIntent()).state));
    return lastIntent();
  }

  /** What is sent first meets this strike. */
  function strikeOnce(strike: Strike): void {
    let isStruck = false;
    world.simulators[0]!.setFaults({
      strikes: (method) => {
        if (method !== 'eth_sendRawTransaction' || isStruck) return undefined;
        isStruck = true;
        return strike;
      },
    });
  }

  async function finish(): Promise<void> {
    await ended(world.vigil, async () => {
      world.chain.extend(1);
      await skipWaits(world.vigil);
      await sleep(50);
    });
    expect(faultsOf(await findIntents(world.vigil), world.mined())).toEqual([]);
    expect(world.mempool.nonceFaults()).toEqual([]);
  }

  const outcomes = () => world.mempool.arrivals.map(({ outcome }) => outcome.replace(/:.*/, ''));

  it('"already known" counts as sent', async () => {
    strikeOnce('loseReply');
    await guard.raise(1);
    expect((await reaches('SUBMITTED')).outcomes).toEqual(['submitted']);
    expect(outcomes()).toEqual(['accepted', 'already known']);
    await finish();
  });

  it('"nonce too low" counts as sent', async () => {
    const before = outcomes().length;
    strikeOnce('loseReply');
    await guard.raise(1);
    await until(() => world.mempool.pending(sender).length === 1);
    // The node takes it into a block of which it tells nobody yet.
    world.simulators[0]!.setFaults({ stuckAt: world.chain.head.number });
    world.chain.extend(1);
    expect((await reaches('SUBMITTED')).outcomes).toEqual(['submitted']);
    expect(outcomes().slice(before)).toEqual(['accepted', 'nonce too low']);
    world.simulators[0]!.setFaults({});
    await finish();
  });

  it('a transaction that the pool forgets is sent again, the same bytes', async () => {
    await guard.raise(3);
    await reaches('SUBMITTED');
    const waiting = world.mempool.pending(sender);
    expect(waiting.length).toBe(3);
    for (const { hash } of waiting) world.mempool.forget(hash);
    skewMs += 16_000;
    await skipWaits(world.vigil);
    await until(() => world.mempool.pending(sender).length === 3);
    expect(world.mempool.pending(sender)).toEqual(waiting);
    await finish();
    expect((await lastIntent()).attempts).toBe(1);
  });

  it('a stuck transaction is replaced by the same call for at least a tenth more', async () => {
    await guard.raise(3);
    await reaches('SUBMITTED');
    const [first] = world.mempool.pending(sender);
    world.mempool.setMarket({ baseFee: 10n * gwei });
    skewMs += 61_000;
    await skipWaits(world.vigil);
    await until(() => world.mempool.pending(sender)[0]!.hash !== first!.hash);
    const [replacement] = world.mempool.pending(sender);
    expect(replacement).toMatchObject({ nonce: first!.nonce, data: first!.data, to: first!.to });
    expect(replacement!.maxFee * 10n).toBeGreaterThanOrEqual(first!.maxFee * 11n);
    await finish();
    expect((await lastIntent()).outcomes).toEqual(['confirmed', 'replaced', 'submitted']);
    world.mempool.setMarket({ baseFee: gwei });
  });

  it('are shared by two tenants that have the same key', async () => {
    const { id: tenantId } = await world.vigil.ok('POST', 'tenant', { name: 'Others' });
    const other = await addGuard(world.vigil, { tenantId });
    const second = (await openActor(world.setup)).start({ now });
    await Promise.all([guard.raise(20), other.raise(20), guard.raise(20), other.raise(20)]);
    await finish();
    await second.stop();
    const owners = (await findIntents(world.vigil)).filter((intent) => intent.tenantId === tenantId);
    expect(owners.length).toBe(40);
  });

  it('a process that slept through its lease ends nothing by what it knew before', async () => {
    const held = hold('before the end is written');
    const sleeper = (await openActor(world.setup)).start({ now, onStep: held.reached });
    await actor.stop();
    isReverting = true;
    await guard.raise(1);
    await held.until;
    isReverting = false;
    actor = (await openActor(world.setup)).start({ now });
    await expireLeases(world.vigil);
    await reaches('SUBMITTED');
    held.release();
    await sleeper.stop();
    expect((await lastIntent()).state).toBe('SUBMITTED');
    await finish();
  });

  it('a process that slept while another replaced the call does not mistake that one for a foreign transaction', async () => {
    await guard.raise(1);
    await reaches('SUBMITTED');
    await actor.stop();
    const [first] = world.mempool.pending(sender);
    skewMs += 61_000;
    const held = hold('after receipts were read');
    const sleeper = (await openActor(world.setup)).start({ now, onStep: held.reached });
    await held.until;
    const gone = hold('after receipts were read', 2);
    const other = (await openActor(world.setup)).start({ now, onStep: gone.reached });
    await expireLeases(world.vigil);
    await until(() => world.mempool.pending(sender)[0]!.hash !== first!.hash);
    world.chain.extend(3);
    await gone.until;
    held.release();
    await sleeper.stop();
    expect((await lastIntent()).state).toBe('SUBMITTED');
    gone.release();
    await finish();
    await other.stop();
    actor = (await openActor(world.setup)).start({ now });
  });

  it('are not given to a call that was claimed before its block went out of depth', async () => {
    await actor.stop();
    await moveCursor(100);
    const held = hold('before it is signed');
    const sleeper = (await openActor(world.setup)).start({ now, onStep: held.reached });
    await guard.raise(1, { blockNumber: 100 });
    await held.until;
    await moveCursor(99);
    held.release();
    await sleeper.stop();
    actor = (await openActor(world.setup)).start({ now });
    await skipWaits(world.vigil);
    await sleep(700);
    expect(await lastIntent()).toMatchObject({ state: 'WAITING', nonce: null });
    await moveCursor(100);
    const startedAt = performance.now();
    await finish();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  /** As watching does when the chain goes on or back. */
  async function moveCursor(confirmed: number): Promise<void> {
    await world.vigil.store.query(
      sql`insert into chain_cursor (chain_uid, head, confirmed, final, updated_at) values ('anvil', 110, ${confirmed}, 0, 0)
        on conflict (chain_uid) do update set confirmed = excluded.confirmed`,
    );
  }

  it('one that someone else used fails its call with the reason, and the next ones continue', async () => {
    strikeOnce('loseRequest');
    const before = outcomes().length;
    const [lost] = await guard.raise(1);
    await until(() => outcomes().length > before);
    const { nonce } = world.mempool.arrivals.at(-1)!.tx;
    world.mempool.submit(signTransfer({ key: privateKey, chainId: 31337, nonce }));
    world.chain.extend(3);
    await reaches('SUBMITTED');
    const later = await guard.raise(3);
    skewMs += 61_000;
    await ended(world.vigil, async () => {
      world.chain.extend(1);
      await skipWaits(world.vigil);
      await sleep(50);
    });
    const intents = await findIntents(world.vigil);
    expect(intents.find(({ number }) => number === lost)).toMatchObject({
      state: 'FAILED',
      reason: expect.stringContaining(
        `The nonce ${nonce} of the wallet was used by a transaction that Vigil did not send`,
      ),
      outcomes: ['failed', 'submitted'],
    });
    expect(intents.filter(({ number }) => later.includes(number)).map(({ state }) => state)).toEqual(
      later.map(() => 'CONFIRMED'),
    );
    const gaps = world.mined().filter((tx, place) => tx.nonce !== place);
    expect(gaps).toEqual([]);
  });

  it('are released after eight hours, however expensive the call has become', async () => {
    world.mempool.setMarket({ minPrice: 10n ** 15n });
    await guard.raise(1);
    await reaches('SUBMITTED');
    const price = () => world.mempool.pending(sender)[0]!.maxFee;
    for (let before = 0n; price() > before; ) {
      before = price();
      skewMs += 61_000;
      await skipWaits(world.vigil);
      await until(() => price() > before, 3000).catch(() => undefined);
    }
    world.mempool.setMarket({ baseFee: gwei / 10n });
    skewMs += 8 * 3_600_000;
    await skipWaits(world.vigil);
    await until(() => world.mempool.pending(sender)[0]!.data === '0x');
    const [row] = await world.vigil.store.query<{ cost: string }>(
      sql`select cost::text from action_intent order by id desc limit 1`,
    );
    expect(BigInt(row!.cost)).toBe(100_000n * price());
    world.mempool.setMarket({ baseFee: gwei, minPrice: 0n });
    await ended(world.vigil, async () => {
      world.chain.extend(1);
      await skipWaits(world.vigil);
      await sleep(50);
    });
    expect(await lastIntent()).toMatchObject({
      state: 'FAILED',
      reason: 'It was not mined within 8 hours and was given up.',
    });
  });
});

/** Keeps an actor at a point until it is released. */
function hold(point: string, nth = 1) {
  const held = new EventEmitter();
  const released = once(held, 'release');
  let left = nth;
  return {
    until: once(held, 'arrive'),
    release: () => void held.emit('release'),
    async reached(where: string): Promise<void> {
      if (where !== point || --left > 0) return;
      held.emit('arrive');
      await released;
    },
  };
}
