import type { Chain } from '../chains.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createProbe } from '../net/createProbe.ts';
import { createRpc, type RpcCall } from '../net/createRpc.ts';
import { numberOf, recordOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';

const networkCall: RpcCall = { method: 'getNetwork', params: {} };

/** Networks are known by their passphrase, which everything is signed for. */
export function passphraseOf({ genesis }: Chain): string {
  if (genesis === undefined) throw new Error('A chain of Stellar has a passphrase.');
  return genesis;
}

export function stellarProtocol(chain: Chain): Protocol {
  return {
    identity: { call: networkCall, faultOf: (result) => networkFault(result, passphraseOf(chain)) },
    newest: {
      call: { method: 'getLatestLedger', params: {} },
      read: (result) => numberOf(recordOf(result).sequence, 'sequence'),
    },
  };
}

function networkFault(result: unknown, wanted: string): string | undefined {
  const { passphrase } = recordOf(result);
  return passphrase === wanted ? undefined : `its network is "${String(passphrase)}" and not "${wanted}"`;
}

export const { endpointFault, probeEndpoint } = createProbe({
  connect: (url) => createRpc(url),
  async examine(ask, chain) {
    const startedAt = performance.now();
    const [network, health] = await ask(networkCall, { method: 'getHealth', params: {} });
    const fault = networkFault(resultOf(network), passphraseOf(chain));
    if (fault !== undefined) return { fault };
    const { latestLedger, oldestLedger } = recordOf(resultOf(health));
    const head = numberOf(latestLedger, 'latestLedger');
    return {
      head,
      latencyMs: Math.round(performance.now() - startedAt),
      // Ledgers and not states: those are never kept.
      archiveDepth: head - numberOf(oldestLedger, 'oldestLedger'),
      isArchive: false,
    };
  },
});
