import { type EndpointReport, emptyReport } from '../chainFamily.ts';
import type { Chain } from '../chains.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createRpc, type RpcCall } from '../net/createRpc.ts';
import { numberOf, recordOf } from '../net/members.ts';
import { InvalidResponse, resultOf } from '../net/replies.ts';
import { RpcFailure } from '../net/rpcFailure.ts';

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

const timeoutMs = 4000;

/** The fault of an endpoint, found with one request; undefined when it serves the network. */
export async function endpointFault(url: string, chain: Chain): Promise<string | undefined> {
  return (await probeEndpoint(url, chain)).fault ?? undefined;
}

export async function probeEndpoint(url: string, chain: Chain): Promise<EndpointReport> {
  const rpc = createRpc(url);
  const startedAt = performance.now();
  try {
    const [network, health] = await rpc.batch([networkCall, { method: 'getHealth', params: {} }], timeoutMs);
    const fault = networkFault(resultOf(network), passphraseOf(chain)) ?? null;
    if (fault !== null) return { ...emptyReport, fault };
    const { latestLedger, oldestLedger } = recordOf(resultOf(health));
    const head = numberOf(latestLedger, 'latestLedger');
    return {
      ...emptyReport,
      head,
      latencyMs: Math.round(performance.now() - startedAt),
      // Ledgers and not states: those are never kept.
      archiveDepth: head - numberOf(oldestLedger, 'oldestLedger'),
      isArchive: false,
    };
  } catch (error) {
    if (error instanceof RpcFailure || error instanceof InvalidResponse)
      return { ...emptyReport, fault: error.message };
    throw error;
  } finally {
    await rpc.close();
  }
}
