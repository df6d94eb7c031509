import { createRpc, type Rpc, RpcFailure, type RpcReply } from '../../net/createRpc.ts';
import { toHex } from '../toRpcCall.ts';
import { createRelay } from './createRelay.ts';

type Options = {
  urls: readonly string[];
  relays: readonly string[];
  head: () => number;
  onCall: (method: string) => void;
};

const timeoutMs = 5000;
/** A bundle is for one block, so that one is sent for each of the next ones. */
const bundleBlocks = 3;

/** Sends what must be mined soon to every endpoint at once, and to private relays, over connections of its own. */
export function createBroadcaster({ urls, relays, head, onCall }: Options) {
  const open = (url: string) => ({ url, rpc: createRpc(url) });
  let nodes: { url: string; rpc: Rpc }[] = urls.map(open);
  const privately = relays.map(createRelay);

  return {
    /** The replies of every endpoint that answered, each to all of these transactions. */
    async send(raws: readonly string[]): Promise<RpcReply[][]> {
      for (const relay of privately)
        for (const raw of raws) {
          onCall('eth_sendPrivateTransaction');
          void relay('eth_sendPrivateTransaction', { tx: raw }).catch(() => undefined);
          for (let block = 1; block <= bundleBlocks; block++) {
            onCall('eth_sendBundle');
            const bundle = { txs: [raw], blockNumber: toHex(head() + block) };
            void relay('eth_sendBundle', bundle).catch(() => undefined);
          }
        }
      const calls = raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }));
      const answers = await Promise.allSettled(
        nodes.map(({ rpc }) => {
          for (const { method } of calls) onCall(method);
          return rpc.batch(calls, timeoutMs);
        }),
      );
      const replies = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      if (replies.length === 0) throw new RpcFailure('No endpoint of the chain answers.');
      return replies;
    },
    setUrls(next: readonly string[]): void {
      const former = nodes;
      nodes = next.map((url) => former.find((node) => node.url === url) ?? open(url));
      for (const node of former) if (!nodes.includes(node)) void node.rpc.close();
    },
    close: async () => {
      await Promise.all(nodes.map(({ rpc }) => rpc.close()));
    },
  };
}
