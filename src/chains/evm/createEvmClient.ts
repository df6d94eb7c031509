import type { Block, Header } from '../../model/block.ts';
import type { ChainClient } from '../chainClient.ts';
import type { Chain } from '../chains.ts';
import { askBlock } from './askBlock.ts';
import { BadAnswer, decodeBlock, decodeHeader } from './decodeBlock.ts';
import { createEndpoints, NotYet } from './endpoints.ts';
import { listenToHeads } from './listenToHeads.ts';
import type { RpcReply } from './rpc.ts';

type Options = {
  chain: Chain;
  urls: readonly string[];
  now: () => number;
  /** Counts every call by its method. */
  counted: (method: string) => void;
};

export function createEvmClient({ chain, urls, now, counted }: Options): ChainClient {
  const endpoints = createEndpoints({
    urls,
    chainId: chain.chainId,
    blockTimeMs: chain.blockTimeMs,
    now,
    counted,
  });
  const ask = askBlock(endpoints);

  /** Block and logs in one request: two calls. */
  function fetchBlock(number: number, isRight: (block: Block) => boolean): Promise<Block | null> {
    const tag = toHex(number);
    const calls = [
      { method: 'eth_getBlockByNumber', params: [tag, true] },
      { method: 'eth_getLogs', params: [{ fromBlock: tag, toBlock: tag }] },
    ];
    return orNull(
      endpoints.request(calls, ([block, logs]) => {
        // Some nodes answer an error to a question for logs of a block that they do not have.
        const raw = resultOf(block);
        if (raw === null) throw new NotYet();
        const decoded = decodeBlock(chain.uid, raw, resultOf(logs), now());
        if (decoded.number !== number) throw new BadAnswer(`it sent block ${decoded.number} for ${number}`);
        if (!isRight(decoded)) throw new NotYet();
        endpoints.noteHead(number);
        return decoded;
      }),
    );
  }

  return {
    chainUid: chain.uid,
    async block(number, parentHash) {
      if (parentHash === undefined) return fetchBlock(number, () => true);
      // When endpoints disagree, one that goes on from what we have is believed first.
      const next = await fetchBlock(number, (block) => block.parentHash === parentHash);
      return next ?? fetchBlock(number, () => true);
    },
    header: (which) =>
      orNull(
        endpoints.request(
          [
            {
              method: 'eth_getBlockByNumber',
              params: [typeof which === 'number' ? toHex(which) : which, false],
            },
          ],
          ([reply]): Header => {
            const raw = resultOf(reply);
            if (raw === null) throw new NotYet();
            const header = decodeHeader(raw);
            if (which === 'latest') endpoints.noteHead(header.number);
            return header;
          },
        ),
      ),
    ask,
    blockOfTransaction: (hash) =>
      orNull(
        endpoints.request([{ method: 'eth_getTransactionByHash', params: [hash] }], ([reply]) => {
          const raw = resultOf(reply);
          if (typeof raw !== 'object' || raw === null || !('blockNumber' in raw) || raw.blockNumber === null)
            throw new NotYet();
          return Number(raw.blockNumber);
        }),
      ),
    compare: endpoints.compare,
    head: endpoints.head,
    onHead: (heard) => listenToHeads(urls, heard),
    health: endpoints.health,
    close: endpoints.close,
  };
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotYet) return null;
    throw error;
  }
}

function resultOf(reply: RpcReply | undefined): unknown {
  if (!reply || 'error' in reply) throw new BadAnswer(reply?.error.message ?? 'a reply is missing');
  return reply.result;
}

export function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}
