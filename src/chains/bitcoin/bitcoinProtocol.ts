import { type EndpointReport, emptyReport } from '../chainFamily.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createRpc, type RpcCall, RpcFailure } from '../net/createRpc.ts';
import { recordOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';

/** A regtest network belongs to the one who runs its node, and stands in for the main network in trials and tests. */
const accepted = ['main', 'regtest'];

export const bitcoinProtocol = {
  identity: {
    call: { method: 'getblockchaininfo', params: [] },
    faultOf(result) {
      const network = networkOf(result);
      return accepted.includes(network) ? undefined : `it serves the network ${network} and not main`;
    },
  },
  newest: { call: { method: 'getblockcount', params: [] }, read: Number },
} satisfies Protocol;

function networkOf(result: unknown): string {
  return typeof result === 'object' && result !== null && 'chain' in result
    ? String(result.chain)
    : 'unknown';
}

const timeoutMs = 4000;

/** What is wrong with an endpoint, found with one call; undefined when it serves the network. */
export async function endpointFault(url: string): Promise<string | undefined> {
  return (await probeEndpoint(url)).fault ?? undefined;
}

export async function probeEndpoint(url: string): Promise<EndpointReport> {
  const rpc = createRpc(url);
  const startedAt = performance.now();
  try {
    const calls: readonly RpcCall[] = [bitcoinProtocol.identity.call];
    const [reply] = await rpc.batch(calls, timeoutMs);
    const info = recordOf(resultOf(reply));
    const fault = bitcoinProtocol.identity.faultOf(info) ?? null;
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
    if (error instanceof RpcFailure || (error instanceof Error && error.name === 'BadAnswer'))
      return { ...emptyReport, fault: error.message };
    throw error;
  } finally {
    await rpc.close();
  }
}
