import type { HeadProtocol } from '../net/subscribeToHeads.ts';

/** Heads as `eth_subscribe` announces them, at WebSocket endpoints. */
export const evmHeads: HeadProtocol = {
  urlOf: (url) => (url.startsWith('ws') ? url : undefined),
  subscribe: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }),
  headIn(message) {
    if (!message.includes('"eth_subscription"')) return undefined;
    const match = /"number"\s*:\s*"(0x[0-9a-f]+)"/i.exec(message);
    return match ? Number(match[1]) : undefined;
  },
};
