import type { ChainClient } from '../../chains/chainClient.ts';
import type { Store } from '../../store/db/db.ts';
import { saveInspection } from '../../store/watch/inspection.ts';
import type { WatchList } from './createWatchList.ts';

const retryMs = 60_000;

/** Finds the implementation behind contracts that are new or were upgraded. */
export function createContractInspector(
  client: ChainClient,
  store: Store,
  watchList: WatchList,
  now: () => number,
) {
  let running: Promise<void> | undefined;
  let isStopped = false;
  /** Contracts whose inspection failed wait, so that they do not delay others. */
  const retryAt = new Map<number, number>();

  async function inspect(): Promise<void> {
    const due = watchList.uninspected().filter(({ id }) => (retryAt.get(id) ?? 0) <= now());
    if (due.length === 0) return;
    const latest = await client.header('latest');
    if (!latest) return;
    const faults: unknown[] = [];
    for (const contract of due) {
      if (isStopped) return;
      try {
        const implementation = await client.findImplementation(latest, contract.address);
        await saveInspection(store, contract, implementation, now());
        retryAt.delete(contract.id);
      } catch (error) {
        retryAt.set(contract.id, now() + retryMs);
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  return {
    /** Runs in the background: a slow node must not delay the chain. */
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
