import { isRecord } from '../../lib/isRecord.ts';
import type { Chain } from '../chains.ts';
import { archiveDepth } from '../net/archiveDepth.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createProbe } from '../net/createProbe.ts';
import { createRest, get } from '../net/createRest.ts';
import { resultOf } from '../net/replies.ts';
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

const nowhere = '0x0000000000000000000000000000000000000000';

export const { endpointFault, probeEndpoint } = createProbe({
  connect: (url) => createRest(toHttp(url)),
  async examine(ask, { genesis }, _url, isWhole) {
    const [first] = await ask(blockCall(0));
    const fault = genesisFault(resultOf(first), genesis);
    if (fault !== undefined) return { fault };
    const startedAt = performance.now();
    const [best] = await ask(blockCall('best'));
    const { number: head } = decodeHeader(resultOf(best));
    const latencyMs = Math.round(performance.now() - startedAt);
    if (!isWhole) return { head, latencyMs };
    const isKnown = async (number: number) => {
      const [reply] = await ask(get('/accounts', `/${nowhere}?revision=${number}`));
      return reply !== undefined && 'result' in reply;
    };
    const depth = await archiveDepth(head, isKnown);
    return { head, latencyMs, archiveDepth: depth, isArchive: depth === head };
  },
});
