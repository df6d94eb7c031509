import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainClient } from '../../chains/chainClient.ts';
import { getChain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import type { HostQueues } from '../../lib/createHostQueues.ts';
import type { Egress } from '../../lib/egress.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import type { ScriptResult } from '../../model/detection.ts';
import type { Keyring } from '../../model/keyring.ts';
import { findNewestAlert } from '../../store/alerts/findNewestAlert.ts';
import { findAllocations } from '../../store/contracts/tokenomics.ts';
import type { Store } from '../../store/db/db.ts';
import { findLabels } from '../../store/labels/findLabels.ts';
import { findFunding } from '../../store/watch/funding.ts';
import { createFetch, type ReadSources } from './createFetch.ts';
import { createHttpProbe } from './createHttpProbe.ts';
import { withTokenFacts } from './withTokenFacts.ts';

type RunScripts = (
  tenantId: number,
  values: Readonly<Record<string, unknown>>,
  sources: readonly string[],
) => Promise<readonly ScriptResult[]>;

type Options = {
  store: Store;
  runScripts: RunScripts;
  /** For scripts that a block waits for. */
  runBlockScripts: (
    allowance: { remainingMs: number },
    ...run: Parameters<RunScripts>
  ) => Promise<readonly (ScriptResult | undefined)[]>;
  egress: Egress;
  hosts: HostQueues;
  keyring: Keyring;
};

/** Fetches what evaluations read: from the chain's nodes, the store, the sandbox and the web. */
export function openFetchers({ store, runScripts, runBlockScripts, egress, hosts, keyring }: Options): {
  fetchFor(chainUid: string, client: ChainClient): Fetch;
  close(): Promise<void>;
} {
  const { probe, close } = createHttpProbe({ egress, hosts, keyring });
  const runInBackground = createBackgroundRun(runScripts);
  const scripts: ReadSources['scripts'] = (tenantId, values, sources, pace) => {
    if (pace === undefined) return runScripts(tenantId, values, sources);
    if (pace === 'background') return runInBackground(tenantId, values, sources);
    return runBlockScripts(pace.allowance(tenantId), tenantId, values, sources);
  };
  return {
    fetchFor: (chainUid, client) => {
      const { canonical, show: shown = (address) => address } = toChainFacts(getChain(chainUid));
      const fetch = createFetch({
        client,
        labels: async (addresses) => {
          const labels = await findLabels(store, { chainUid, addresses: addresses.map(shown) });
          return labels.map((label) => ({ ...label, address: canonical(label.address) }));
        },
        funding: (addresses) => findFunding(store, chainUid, addresses),
        newestAlert: (request) => findNewestAlert(store, request, Date.now()),
        allocations: (tenantId, contractId) => findAllocations(store, tenantId, contractId),
        scripts,
        http: probe,
      });
      return withTokenFacts(fetch, store, chainUid, Date.now);
    },
    close,
  };
}

/** Bounds the rest on a busy machine, where a script takes longer than it uses the processor. */
const maxRestMs = 50;

/** Pauses a tenant's scripts for as long as they ran, so that background work leaves the processor to others. */
function createBackgroundRun(run: RunScripts): RunScripts {
  const turns = createFairQueue({ slots: 2, slotsPerKey: 1 });
  return (tenantId, values, sources) =>
    new Promise((resolve, reject) => {
      const work = async () => {
        const startedAt = performance.now();
        resolve(await run(tenantId, values, sources));
        const elapsedMs = performance.now() - startedAt;
        await sleep(Math.min(elapsedMs, maxRestMs * sources.length), undefined, { ref: false });
      };
      turns.run(tenantId, work).catch(reject);
    });
}
