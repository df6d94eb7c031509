import pino from 'pino';
import { createCancelOnRetractions, createFireOnAlerts } from '../../../src/actions/fireOnAlerts.ts';
import { getChain } from '../../../src/chains/chains.ts';
import { families } from '../../../src/chains/families.ts';
import { deriveAuditKey } from '../../../src/lib/auditKey.ts';
import { listen } from '../../../src/store/db/listen.ts';
import { openStore } from '../../../src/store/db/openStore.ts';
import { findLabels } from '../../../src/store/labels/findLabels.ts';
import { findFunding } from '../../../src/store/watch/funding.ts';
import { openPresence } from '../../../src/store/watch/openPresence.ts';
import { createFetch } from '../../../src/watch/reads/createFetch.ts';
import { startWatching } from '../../../src/watch/startWatching.ts';
import { obeyOrders } from './obeyOrders.ts';
import { type ActorSetup, openActor } from './openActor.ts';

obeyOrders(openGuard);

/** Watches a chain with its pending transactions, and fires actions. */
async function openGuard(setup: ActorSetup) {
  const { connection, chainUid, urls, confirmations } = setup;
  const actor = await openActor(setup);
  const store = openStore({ ...connection, max: 6 }, () => {});
  const chain = getChain(chainUid);
  const client = families[chain.family].nodes?.createClient({ chain, urls, now: Date.now, onCall: () => {} });
  const now = Date.now;
  return {
    start({ onStep }: { onStep: (point: string) => void }): void {
      startWatching({
        settings: { [chainUid]: { startBlock: undefined } },
        confirmations: () => confirmations,
        clientOf: (uid) => (uid === chainUid ? client : undefined),
        store,
        fetchFor: (uid, reader) =>
          createFetch({
            client: reader,
            labels: (addresses) => findLabels(store, { chainUid: uid, addresses }),
            funding: (addresses) => findFunding(store, uid, addresses),
            allocations: unused,
            newestAlert: unused,
            scripts: unused,
            http: unused,
          }),
        recorder: { add: () => {}, flush: async () => {} },
        auditKeys: { newest: () => deriveAuditKey(1, Buffer.alloc(32)) },
        listen: (onMessage) => listen(connection, 'vigil_watch', onMessage),
        presence: openPresence(connection),
        alertHooks: [createFireOnAlerts({ now })],
        retractionHooks: [createCancelOnRetractions({ now })],
        minedHooks: [createFireOnAlerts({ now })],
        pendingDropMs: 0,
        onStep,
        now,
        log: pino({ level: 'silent' }),
      });
      actor.start({ onStep });
    },
  };
}

function unused(): never {
  throw new Error('This detector does not read this.');
}
