import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createMempool, type Mempool } from '../../testing/simulator/createMempool.ts';
import { createSimChain, type SimChain } from '../../testing/simulator/createSimChain.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { addGuard, type Guard, numberIn, sender } from './support/addGuard.ts';
import { ended, faultsOf, findIntents, skipWaits } from './support/intents.ts';

const chainId = 11_155_111;

/** Sepolia goes by two names, and alerts come from anvil. */
describe('actions on one chain and alerts of another', () => {
  let chain: SimChain;
  let mempool: Mempool;
  let simulator: Simulator;
  let vigil: TestWatch;
  let own: Guard;

  beforeAll(async () => {
    chain = createSimChain({ chainId });
    mempool = createMempool(chain, { balances: { [sender]: 10n ** 24n } });
    simulator = await startSimulator({ chain, mempool });
    const settings = { urls: [simulator.url], confirmations: 1 };
    vigil = await startTestWatch({ sepolia: settings, ethereum_sepolia: settings });
    own = await addGuard(vigil, { chainUid: 'sepolia' });
    chain.extend(1);
    vigil.act();
  });
  afterAll(async () => {
    await vigil?.stop();
    await simulator?.stop();
  });

  const arrived = (number: number) => mempool.arrivals.some(({ tx }) => numberIn(tx.data) === number);

  async function finish(): Promise<void> {
    await ended(vigil, async () => {
      chain.extend(1);
      await skipWaits(vigil);
      await sleep(50);
    });
    const mined = mempool.mined(sender).map(({ tx }) => tx);
    expect(faultsOf(await findIntents(vigil), mined)).toEqual([]);
    expect(mempool.nonceFaults()).toEqual([]);
  }

  /** As watching does when the chain goes on. */
  async function moveCursor(chainUid: string, confirmed: number): Promise<void> {
    await vigil.store.query(
      sql`insert into chain_cursor (chain_uid, head, confirmed, final, updated_at) values (${chainUid}, ${confirmed}, ${confirmed}, 0, 0)
        on conflict (chain_uid) do update set confirmed = excluded.confirmed`,
    );
  }

  it('fire when the chain of the alert is deep enough, however far the other one is', async () => {
    const { contractId, walletId } = own;
    const guard = await addGuard(vigil, { action: { contractId, walletId } });
    await moveCursor('anvil', 99);
    await moveCursor('sepolia', 1_000_000);
    const [early] = await guard.raise(1, { blockNumber: 100 });
    await sleep(1200);
    expect(await findIntents(vigil)).toMatchObject([{ number: early, state: 'WAITING', nonce: null }]);
    await moveCursor('anvil', 100);
    await until(() => arrived(early!));
    await moveCursor('sepolia', 1);
    const [deep] = await guard.raise(1, { blockNumber: 100 });
    await until(() => arrived(deep!));
    await finish();
  });

  it('share the numbers of a wallet under both names of its chain', async () => {
    const guards = [own, await addGuard(vigil, { chainUid: 'ethereum_sepolia' })];
    for (let round = 0; round < 3; round++) {
      await Promise.all(guards.map((guard) => guard.raise(5)));
      await finish();
    }
    const lanes = await vigil.store.query(sql`select chain_uid as "chainUid" from nonce_lane`);
    expect(lanes).toEqual([{ chainUid: 'sepolia' }]);
  });
});
