import { createMempool } from '../../../testing/simulator/createMempool.ts';
import { createSimChain } from '../../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../../testing/simulator/startSimulator.ts';
import { startTestWatch } from '../../../testing/startTestWatch.ts';
import { privateKey, sender } from './addGuard.ts';

export type SimulatedWorld = Awaited<ReturnType<typeof startSimulatedWorld>>;

/** A chain that does as the test says, and Vigil on it; nobody fires yet. */
export async function startSimulatedWorld(
  options: {
    nodes?: number;
    confirmations?: number;
    stuckMs?: number;
    mempool?: Parameters<typeof createMempool>[1];
  } = {},
) {
  const { nodes = 1, confirmations = 1, stuckMs = 60_000 } = options;
  const chain = createSimChain({ chainId: 31337 });
  const mempool = createMempool(chain, { balances: { [sender]: 10n ** 24n }, ...options.mempool });
  const simulators = await Promise.all(
    Array.from({ length: nodes }, (_, place) => startSimulator({ chain, mempool, seed: place + 1 })),
  );
  const urls = simulators.map(({ url }) => url);
  const vigil = await startTestWatch({ anvil: { urls, confirmations } });
  const { connection } = vigil;
  return {
    chain,
    mempool,
    simulators,
    vigil,
    setup: { connection, chainUid: 'anvil' as const, urls, confirmations, privateKey, stuckMs },
    /** What the wallet has on the present chain. */
    mined: () => mempool.mined(sender).map(({ tx }) => tx),
    async stop(): Promise<void> {
      mempool.mineEvery(0);
      await vigil.stop();
      await Promise.all(simulators.map((simulator) => simulator.stop()));
    },
  };
}
