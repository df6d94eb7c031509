import { parseExactJson } from '../../lib/parseExactJson.ts';
import type { Chain } from '../chains.ts';
import type { Protocol } from '../net/createEndpoints.ts';
import { createProbe } from '../net/createProbe.ts';
import { createRpc } from '../net/createRpc.ts';
import { probeHeads } from '../net/probeHeads.ts';
import { resultOf } from '../net/replies.ts';
import type { HeadProtocol } from '../net/subscribeToHeads.ts';

/** Blocks that two thirds of the stake voted for; nodes show no earlier ones. */
export const confirmed = { commitment: 'confirmed' } as const;

export function solanaProtocol({ genesis }: Chain): Protocol {
  return {
    // A slot has several megabytes, and two or three come in a second.
    connect: (url) => createRpc(url, { parseJson: parseExactJson, isZipped: true }),
    ...(genesis !== undefined && {
      identity: {
        call: { method: 'getGenesisHash', params: [] },
        faultOf: (result) => genesisFault(result, genesis),
      },
    }),
    newest: { call: { method: 'getSlot', params: [confirmed] }, read: Number },
  };
}

function genesisFault(result: unknown, genesis: string | undefined): string | undefined {
  return genesis === undefined || result === genesis
    ? undefined
    : `its first block is ${String(result)} and not ${genesis}`;
}

/** Announced when a validator begins a slot: the one before it is complete then, and soon voted for. */
export const solanaHeads: HeadProtocol = {
  urlOf: (url) => (url.startsWith('ws') ? url : undefined),
  subscribe: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe', params: [] }),
  headIn(message) {
    if (!message.includes('"slotNotification"')) return undefined;
    const match = /"parent"\s*:\s*(\d+)/.exec(message);
    return match ? Number(match[1]) : undefined;
  },
};

const timeoutMs = 4000;

export const { endpointFault, probeEndpoint } = createProbe({
  connect: (url) => createRpc(url),
  async examine(ask, { genesis }, url) {
    // It takes subscriptions only, so that it cannot be asked which network it serves.
    if (url.startsWith('ws')) return { head: await probeHeads(url, solanaHeads, timeoutMs) };
    const startedAt = performance.now();
    const [first, newest, oldest] = await ask(
      { method: 'getGenesisHash', params: [] },
      { method: 'getSlot', params: [confirmed] },
      { method: 'getFirstAvailableBlock', params: [] },
    );
    const fault = genesisFault(resultOf(first), genesis);
    if (fault !== undefined) return { fault };
    const head = Number(resultOf(newest));
    const kept = oldest && 'result' in oldest ? head - Number(oldest.result) : null;
    return {
      head,
      latencyMs: Math.round(performance.now() - startedAt),
      // Blocks and not states: those are never kept.
      archiveDepth: kept,
      isArchive: kept === null ? null : kept >= head,
    };
  },
});
