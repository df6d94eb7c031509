import type { ChainClient } from '../../chains/chainClient.ts';
import { type ChainUid, chains } from '../../chains/chains.ts';
import { createEvmClient } from '../../chains/evm/createEvmClient.ts';
import { createSeriesCache, platformTenant } from '../../model/metrics.ts';
import type { MetricRecorder } from '../telemetry/createMetricRecorder.ts';
import type { ChainAccess } from './chainAccess.ts';

type Settings = Readonly<Record<string, { endpoints: readonly string[] }>>;

/** One client for each configured chain, made when it is first needed. */
export function openChains(
  settings: Settings,
  recorder: MetricRecorder,
  now: () => number,
): ChainAccess & { close(): Promise<void> } {
  const clients = new Map<ChainUid, ChainClient>();
  return {
    isConfigured: (uid) => settings[uid] !== undefined && chains[uid].family === 'evm',
    client(uid) {
      const configured = settings[uid];
      const known = clients.get(uid);
      // The other families are known by their addresses, but cannot be followed yet.
      if (known || !configured || chains[uid].family !== 'evm') return known;
      const seriesOf = createSeriesCache({ chain: uid });
      const onCall = (method: string) => recorder.add(seriesOf('rpc_calls', method), platformTenant, 1);
      const client = createEvmClient({ chain: chains[uid], urls: configured.endpoints, now, onCall });
      clients.set(uid, client);
      return client;
    },
    close: async () => {
      await Promise.all(Array.from(clients.values(), (client) => client.close()));
    },
  };
}
