import type { ChainClient } from '../chains/chainClient.ts';
import type { Store } from '../store/db.ts';
import { saveInspection } from '../store/watch/inspection.ts';
import type { WatchList } from './createWatchList.ts';

const retryMs = 60_000;

/** Looks into the contracts that were not looked into yet, or that were upgraded: what stands behind them. */
export function createContractInspector(
  client: ChainClient,
  store: Store,
  watchList: WatchList,
  now: () => number,
) {
  let running: Promise<void> | undefined;
  let isStopped = false;
  /** Those that could not be looked into come later, so that they keep nobody else from it. */
  const tryAfter = new Map<number, number>();

  async function inspect(): Promise<void> {
    const waiting = watchList.uninspected().filter(({ id }) => (tryAfter.get(id) ?? 0) <= now());
    if (waiting.length === 0) return;
    const latest = await client.header('latest');
    if (!latest) return;
    const faults: unknown[] = [];
    for (const contract of waiting) {
      if (isStopped) return;
      try {
        const implementation = await client.findImplementation(latest, contract.address);
        await saveInspection(store, contract, implementation, now());
        tryAfter.delete(contract.id);
      } catch (error) {
        tryAfter.set(contract.id, now() + retryMs);
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  return {
    /** Does not wait: a node that answers slowly must not hold up the chain. */
    start(onError: (error: unknown) => void): void {
      running ??= inspect()
        .catch(onError)
        .finally(() => {
          running = undefined;
        });
    },
    async stop(): Promise<void> {
      isStopped = true;
      await running;
    },
  };
}
