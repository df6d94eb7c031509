import type { ConnectedClient } from '../../chains/chainClient.ts';
import { type ChainUid, chainUids, getChain, withNetwork } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import type { MetricRecorder } from '../../model/metrics.ts';
import { createSeriesCache, platformTenant } from '../../model/metrics.ts';
import type { TraceMode } from '../../model/traceState.ts';
import type { ChainAccess } from './chainAccess.ts';

type Settings = Readonly<
  Record<
    string,
    {
      endpoints: readonly string[];
      network?: string | undefined;
      traces?: TraceMode;
      relays?: readonly string[];
    }
  >
>;

export type OpenChains = ChainAccess & {
  /** The endpoints that are stored, which are used beside those of the settings, and the chains whose facts are others now. */
  setStored(stored: ReadonlyMap<string, readonly string[]>, changedChains?: readonly ChainUid[]): void;
  /** Calls back after endpoints have changed, until the returned function is called. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
};

/**
 * One client for each chain that has endpoints, made when it is first needed. It stays the same while its endpoints change,
 * so that all who hold it use those of the moment.
 */
export function openChains(settings: Settings, recorder: MetricRecorder, now: () => number): OpenChains {
  const clients = new Map<ChainUid, ConnectedClient>();
  const listeners = new Set<() => void>();
  const retired = new Set<ConnectedClient>();
  /** The next client knows the chain's new facts; who holds this one has until the end of the process to let go. */
  function retire(uid: ChainUid): void {
    const client = clients.get(uid);
    if (!client) return;
    clients.delete(uid);
    retired.add(client);
    client.setUrls([]);
  }

  let urls = mergeUrls(settings, new Map());
  const chainOf = (uid: ChainUid) => withNetwork(getChain(uid), settings[uid]?.network);
  return {
    chain: chainOf,
    isConfigured: (uid) => urls.has(uid),
    client(uid) {
      const chainUrls = urls.get(uid);
      const cached = clients.get(uid);
      const nodes = nodesOf(uid);
      if (cached || !chainUrls || !nodes) return chainUrls && cached;
      const seriesOf = createSeriesCache({ chain: uid });
      const onCall = (method: string) => recorder.add(seriesOf('rpc_calls', method), platformTenant, 1);
      const client = nodes.createClient({
        chain: chainOf(uid),
        urls: chainUrls,
        now,
        onCall,
        traces: settings[uid]?.traces,
        relays: settings[uid]?.relays,
      });
      clients.set(uid, client);
      return client;
    },
    setStored(stored, changedChains = []) {
      const former = urls;
      urls = mergeUrls(settings, stored);
      for (const uid of changedChains) retire(uid);
      const uids = new Set([...former.keys(), ...urls.keys()]);
      const changed = [...uids].filter(
        (uid) => changedChains.includes(uid) || former.get(uid)?.join() !== urls.get(uid)?.join(),
      );
      for (const uid of changed) clients.get(uid)?.setUrls(urls.get(uid) ?? []);
      if (changed.length > 0) for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await Promise.all([...clients.values(), ...retired].map((client) => client.close()));
    },
  };
}

const nodesOf = (uid: ChainUid) => families[getChain(uid).family].nodes;

/** Without chains that have none, or that cannot be followed yet. */
function mergeUrls(
  settings: Settings,
  stored: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<ChainUid, readonly string[]> {
  return new Map(
    chainUids.flatMap((uid) => {
      const chainUrls = new Set([...(settings[uid]?.endpoints ?? []), ...(stored.get(uid) ?? [])]);
      return chainUrls.size > 0 && nodesOf(uid) ? [[uid, [...chainUrls]]] : [];
    }),
  );
}
