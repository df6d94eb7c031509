import type { Chain } from '../chains.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createProbe } from '../net/createProbe.ts';
import { createRpc, type RpcCall } from '../net/createRpc.ts';
import { recordOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';

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

export const { endpointFault, probeEndpoint } = createProbe({
  connect: (url) => createRpc(url),
  async examine(ask, chain) {
    const startedAt = performance.now();
    const [reply] = await ask(infoCall);
    const info = recordOf(resultOf(reply));
    const fault = networkFault(info, chain);
    if (fault !== undefined) return { fault };
    const isPruned = info.pruned === true;
    const head = Number(info.blocks);
    return {
      head,
      latencyMs: Math.round(performance.now() - startedAt),
      // Blocks and not states are what can be pruned here.
      archiveDepth: isPruned ? head - Number(info.pruneheight ?? head) : head,
      isArchive: !isPruned,
      pendingTransactions: true,
    };
  },
});
