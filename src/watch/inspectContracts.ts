import type { ChainClient } from '../chains/chainClient.ts';
import { toChecksumAddress } from '../chains/evm/address.ts';
import { findImplementation } from '../chains/evm/findImplementation.ts';
import type { Store } from '../store/db.ts';
import { saveInspection } from '../store/watch/inspection.ts';
import type { WatchList } from './watchList.ts';

/** Looks into the contracts that were not looked into yet, or that were upgraded: what stands behind them. */
export function createInspector(client: ChainClient, store: Store, watchList: WatchList, now: () => number) {
  let running: Promise<void> | undefined;

  async function inspect(): Promise<void> {
    const waiting = [...watchList.contracts()]
      .map(({ contract }) => contract)
      .filter(({ inspectedAt }) => inspectedAt === null);
    if (waiting.length === 0) return;
    const latest = await client.header('latest');
    if (!latest) return;
    for (const contract of waiting) {
      const found = await findImplementation(client, latest, contract.address);
      await saveInspection(store, contract, found && toChecksumAddress(found.slice(2)), now());
    }
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
    stop: async () => running,
  };
}
