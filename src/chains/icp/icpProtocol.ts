import type { Chain } from '../chains.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createProbe } from '../net/createProbe.ts';
import { resultOf } from '../net/replies.ts';
import { type Certified, createIcpRpc, readStateCall, statusCall } from './createIcpRpc.ts';
import { icpLedgerId } from './createLedger.ts';

/** Any certificate shows how far an endpoint is; that of the ledger of ICP can be had on every network that has one. */
const newestCall = readStateCall(icpLedgerId, [['time']]);
const readSecond = (result: unknown) => Number((result as Certified).time / 1_000_000_000n);

export function icpProtocol(chain: Chain): Protocol {
  const rootKey = rootKeyOf(chain);
  return {
    connect: (url) => createIcpRpc(url, rootKey),
    identity: {
      call: statusCall,
      faultOf: (result) => rootKeyFault((result as { rootKey: string }).rootKey, rootKey),
    },
    newest: { call: newestCall, read: readSecond },
  };
}

/** It proves everything that the network says, so there is no following without it. */
function rootKeyOf({ uid, genesis }: Chain): string {
  if (genesis === undefined || !/^[0-9a-f]{266}$/.test(genesis))
    throw new Error(`The root key of ${uid} must be 266 hexadecimal digits.`);
  return genesis;
}

function rootKeyFault(actual: string, wanted: string): string | undefined {
  return actual === wanted
    ? undefined
    : `it serves the network with the root key …${actual.slice(-16)} and not …${wanted.slice(-16)}`;
}

/** Nothing of the past is asked of nodes but what ledgers keep, so that nothing else is to be found out. */
export const { endpointFault, probeEndpoint } = createProbe({
  connect: (url, chain) => createIcpRpc(url, rootKeyOf(chain)),
  async examine(ask, chain) {
    const startedAt = performance.now();
    const [status] = await ask(statusCall);
    const latencyMs = Math.round(performance.now() - startedAt);
    const fault = rootKeyFault((resultOf(status) as { rootKey: string }).rootKey, rootKeyOf(chain));
    if (fault !== undefined) return { fault };
    const [newest] = await ask(newestCall);
    return { latencyMs, head: newest && 'result' in newest ? readSecond(newest.result) : null };
  },
});
