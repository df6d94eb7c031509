import { type EndpointReport, emptyReport } from '../chainFamily.ts';
import type { Chain } from '../chains.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createRpc, type RpcCall, RpcFailure } from '../net/createRpc.ts';
import { recordOf } from '../net/members.ts';
import { InvalidResponse, resultOf } from '../net/replies.ts';

/** A regtest network belongs to the one who runs its node, and stands in for the main network in trials and tests. */
const mainOrStandIn = ['main', 'regtest'];
const infoCall: RpcCall = { method: 'getblockchaininfo', params: [] };

export function bitcoinProtocol(chain: Chain): Protocol {
  return {
    identity: { call: infoCall, faultOf: (result) => networkFault(result, chain) },
    newest: { call: { method: 'getblockcount', params: [] }, read: Number },
  };
}

function networkFault(result: unknown, { uid, genesis = 'main' }: Chain): string | undefined {
  const accepted = uid === 'bitcoin' ? mainOrStandIn : [genesis];
  const network = nameOf(result);
  return accepted.includes(network)
    ? undefined
    : `it serves the network ${network} and not ${uid === 'bitcoin' ? 'main' : genesis}`;
}

function nameOf(result: unknown): string {
  return typeof result === 'object' && result !== null && 'chain' in result
    ? String(result.chain)
    : 'unknown';
}

const timeoutMs = 4000;

/** The fault of an endpoint, found with one call; undefined when it serves the network. */
export async function endpointFault(url: string, chain: Chain): Promise<string | undefined> {
  return (await probeEndpoint(url, chain)).fault ?? undefined;
}

export async function probeEndpoint(url: string, chain: Chain): Promise<EndpointReport> {
  const rpc = createRpc(url);
  const startedAt = performance.now();
  try {
    const [reply] = await rpc.batch([infoCall], timeoutMs);
    const info = recordOf(resultOf(reply));
    const fault = networkFault(info, chain) ?? null;
    if (fault !== null) return { ...emptyReport, fault };
    const isPruned = info.pruned === true;
    const head = Number(info.blocks);
    return {
      ...emptyReport,
      head,
      latencyMs: Math.round(performance.now() - startedAt),
      // Blocks and not states are what can be pruned here.
      archiveDepth: isPruned ? head - Number(info.pruneheight ?? head) : head,
      isArchive: !isPruned,
      pendingTransactions: true,
    };
  } catch (error) {
    if (error instanceof RpcFailure || error instanceof InvalidResponse)
      return { ...emptyReport, fault: error.message };
    throw error;
  } finally {
    await rpc.close();
  }
}
