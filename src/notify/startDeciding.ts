import { setTimeout as sleep } from 'node:timers/promises';
import type { Stoppable } from '../lib/createLifecycle.ts';
import { startPoller } from '../lib/startPoller.ts';
import type { Store } from '../store/db/db.ts';
import { pollDue } from '../store/db/pollDue.ts';
import {
  isUndecidedDue,
  listUndecidedTenants,
  takeUndecided,
} from '../store/destinations/undecidedAlerts.ts';
import type { DecideLater } from './createDecideLater.ts';

type Options = {
  store: Store;
  decide: DecideLater;
  now: () => number;
  onError: (error: unknown) => void;
};

/** Alerts that one transaction decides. */
const atOnce = 20;
/** Rules that hide or direct an alert are left out once it has waited for this long, because no one knows of it yet. */
const maxWaitMs = 60_000;

/**
 * Decides the alerts whose rules took too long in the transaction that raised them, and deletes their rows with that. Tenants
 * take turns, and half of the time stays free.
 */
export function startDeciding({ store, decide, now, onError }: Options): Stoppable {
  const stopping = new AbortController();

  async function decideSome(tenantId: number): Promise<void> {
    await store.transaction(async (tx) => {
      const taken = await takeUndecided(tx, tenantId, atOnce);
      const [oldest] = taken;
      if (!oldest) return;
      const isLate = now() - oldest.raisedAt > maxWaitMs;
      await decide(tx, taken, { isLate });
    });
  }

  async function decideAll(): Promise<void> {
    for (;;) {
      const tenantIds = await listUndecidedTenants(store);
      if (tenantIds.length === 0) return;
      let failed = 0;
      for (const tenantId of tenantIds) {
        if (stopping.signal.aborted) return;
        const startedAt = performance.now();
        await decideSome(tenantId).catch((error) => {
          failed += 1;
          onError(error);
        });
        await sleep(performance.now() - startedAt, undefined, { signal: stopping.signal }).catch(() => {});
      }
      // The next poll tries again.
      if (failed > 0) return;
    }
  }

  const poller = startPoller(decideAll, {
    whenDue: (wake) => pollDue(store, () => isUndecidedDue, wake),
    onError,
  });
  return {
    async stop() {
      stopping.abort();
      await poller.stop();
    },
  };
}
