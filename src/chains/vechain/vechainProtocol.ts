import { isRecord } from '../../lib/isRecord.ts';
import { type EndpointReport, emptyReport } from '../chainFamily.ts';
import type { Chain } from '../chains.ts';
import { archiveDepth } from '../net/archiveDepth.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createRest, get } from '../net/createRest.ts';
import { InvalidResponse, resultOf } from '../net/replies.ts';
import { RpcFailure } from '../net/rpcFailure.ts';
import type { HeadProtocol } from '../net/subscribeToHeads.ts';
import { decodeHeader } from './decodeBlock.ts';

/** A block by its number, its id, or one of the words of the API. */
export const blockCall = (which: number | string, isExpanded = false) =>
  get('/blocks', `/${which}${isExpanded ? '?expanded=true' : ''}`);

/** Nodes serve their API by HTTP; the address of a WebSocket is that of the same node. */
export const vechainProtocol = ({ genesis }: Chain): Protocol => ({
  connect: (url) => createRest(toHttp(url)),
  identity: { call: blockCall(0), faultOf: (result) => genesisFault(result, genesis) },
  newest: {
    call: blockCall('best'),
    read: (result) => (isRecord(result) ? Number(result.number) : Number.NaN),
  },
});

export const vechainHeads: HeadProtocol = {
  urlOf(url) {
    const address = new URL(url.replace(/^http/, 'ws'));
    address.pathname = `${address.pathname.replace(/\/$/, '')}/subscriptions/beat2`;
    return address.href;
  },
  headIn(message) {
    const match = /"number"\s*:\s*(\d+)/.exec(message);
    return match ? Number(match[1]) : undefined;
  },
};

function toHttp(url: string): string {
  return url.replace(/^ws/, 'http');
}

function genesisFault(result: unknown, genesis: string | undefined): string | undefined {
  const id = isRecord(result) ? String(result.id) : 'none';
  return id === genesis ? undefined : `its first block is ${id} and not ${genesis}`;
}

const timeoutMs = 4000;
const nowhere = '0x0000000000000000000000000000000000000000';

/** The fault of an endpoint, found with two calls; undefined when it serves the network. */
export async function endpointFault(url: string, chain: Chain): Promise<string | undefined> {
  return (await probe(url, chain, false)).fault ?? undefined;
}

export function probeEndpoint(url: string, chain: Chain): Promise<EndpointReport> {
  return probe(url, chain, true);
}

async function probe(url: string, { genesis }: Chain, isWhole: boolean): Promise<EndpointReport> {
  const rest = createRest(toHttp(url));
  const ask = async (path: string, of = '/blocks') => {
    const [reply] = await rest.batch([get(of, path)], timeoutMs);
    return reply;
  };
  try {
    const fault = genesisFault(resultOf(await ask('/0')), genesis) ?? null;
    if (fault !== null) return { ...emptyReport, fault };
    const startedAt = performance.now();
    const { number: head } = decodeHeader(resultOf(await ask('/best')));
    const latencyMs = Math.round(performance.now() - startedAt);
    const report = { ...emptyReport, head, latencyMs };
    if (!isWhole) return report;
    const isKnown = async (number: number) => {
      const reply = await ask(`/${nowhere}?revision=${number}`, '/accounts');
      return reply !== undefined && 'result' in reply;
    };
    const depth = await archiveDepth(head, isKnown);
    return { ...report, archiveDepth: depth, isArchive: depth === head };
  } catch (error) {
    if (error instanceof RpcFailure || error instanceof InvalidResponse)
      return { ...emptyReport, fault: error.message };
    throw error;
  } finally {
    await rest.close();
  }
}
