import { type EndpointReport, emptyReport, type FamilyNodes } from '../chainFamily.ts';
import type { Chain } from '../chains.ts';
import { InvalidResponse } from './replies.ts';
import type { Rpc, RpcCall, RpcReply } from './rpc.ts';
import { RpcFailure } from './rpcFailure.ts';

type Ask = (...calls: RpcCall[]) => Promise<RpcReply[]>;

type Connection = Pick<Rpc, 'batch' | 'close'>;

type Options = {
  /** Throws an RpcFailure where the address is of no node of the family. */
  connect: (url: string, chain: Chain) => Connection;
  /** Finds out what an endpoint can do; `isWhole` is false if only its fault is wanted. */
  examine: (ask: Ask, chain: Chain, url: string, isWhole: boolean) => Promise<Partial<EndpointReport>>;
};

const timeoutMs = 4000;

/** Probes endpoints of a family; an endpoint that fails to answer has that as its fault. */
export function createProbe({
  connect,
  examine,
}: Options): Pick<FamilyNodes, 'endpointFault' | 'probeEndpoint'> {
  async function probe(url: string, chain: Chain, isWhole: boolean): Promise<EndpointReport> {
    let rpc: Connection | undefined;
    try {
      const connection = connect(url, chain);
      rpc = connection;
      const ask: Ask = (...calls) => connection.batch(calls, timeoutMs);
      return { ...emptyReport, ...(await examine(ask, chain, url, isWhole)) };
    } catch (error) {
      if (error instanceof RpcFailure || error instanceof InvalidResponse)
        return { ...emptyReport, fault: error.message };
      throw error;
    } finally {
      await rpc?.close();
    }
  }

  return {
    endpointFault: async (url, chain) => (await probe(url, chain, false)).fault ?? undefined,
    probeEndpoint: (url, chain) => probe(url, chain, true),
  };
}
