import { chains } from '../../../src/chains/chains.ts';
import { createEvmClient } from '../../../src/chains/evm/createEvmClient.ts';
import type { Services } from '../../../src/services/call.ts';

/** The chains of a server that has endpoints for anvil only. */
export function anvilChain(url: string): Services['chains'] & { close(): Promise<void> } {
  const client = createEvmClient({ chain: chains.anvil, urls: [url], now: Date.now, onCall: () => {} });
  return {
    isConfigured: (uid) => uid === 'anvil',
    client: (uid) => (uid === 'anvil' ? client : undefined),
    close: () => client.close(),
  };
}
