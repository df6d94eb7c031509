import type { Block, Header } from '../../model/block.ts';
import type { ChainClient } from '../chainClient.ts';
import type { Chain } from '../chains.ts';
import { askBlock } from './askBlock.ts';
import { createLogsCheck } from './createLogsCheck.ts';
import { createTransactor } from './createTransactor.ts';
import { BadAnswer, decodeBlock, decodeHeader } from './decodeBlock.ts';
import { createEndpoints, NotYet } from './endpoints.ts';
import { findImplementation } from './findImplementation.ts';
import { listenToHeads } from './listenToHeads.ts';
import type { RpcReply } from './rpc.ts';
import { toHex } from './toHex.ts';

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
  const ask = askBlock(endpoints, now);
  const logsFault = createLogsCheck(now);

  /** Block and logs in one request: two calls. */
  const blockCalls = (number: number) => [
    { method: 'eth_getBlockByNumber', params: [toHex(number), true] },
    { method: 'eth_getLogs', params: [{ fromBlock: toHex(number), toBlock: toHex(number) }] },
  ];

  function toBlock(number: number, [block, logs]: readonly RpcReply[]): Block {
    const raw = resultOf(block);
    // Before the logs, since some nodes answer an error to a question for logs of a block that they do not have.
    if (raw === null) throw new NotYet(number);
    const decoded = decodeBlock(chain.uid, raw, resultOf(logs), now(), logsFault);
    if (decoded.number !== number) throw new BadAnswer(`it sent block ${decoded.number} for ${number}`);
    return decoded;
  }

  return {
    chainUid: chain.uid,
    async block(number, parentHash) {
      let other: Block | undefined;
      const fitting = await orNull(
        endpoints.request(blockCalls(number), (replies, has) => {
          const block = toBlock(number, replies);
          has(number);
          // When endpoints disagree, one that goes on from what we have is believed first.
          if (parentHash === undefined || block.parentHash === parentHash) return block;
          other ??= block;
          throw new NotYet();
        }),
      );
      return fitting ?? other ?? null;
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
          ([reply], has): Header => {
            // Not every node knows what is final, which is no fault of it.
            if (which === 'finalized' && reply && 'error' in reply) throw new NotYet();
            const raw = resultOf(reply);
            if (raw === null) throw new NotYet(typeof which === 'number' ? which : undefined);
            const header = decodeHeader(raw);
            if (typeof which === 'number' && header.number !== which)
              throw new BadAnswer(`it sent block ${header.number} for ${which}`);
            has(header.number);
            return header;
          },
        ),
      ),
    ask,
    findImplementation: (at, address) => findImplementation(ask, at, address),
    blockOfTransaction: (hash) =>
      orNull(
        endpoints.request([{ method: 'eth_getTransactionByHash', params: [hash] }], ([reply]) => {
          const raw = resultOf(reply);
          if (typeof raw !== 'object' || raw === null || !('blockNumber' in raw) || raw.blockNumber === null)
            throw new NotYet();
          return Number(raw.blockNumber);
        }),
      ),
    transactor: createTransactor(endpoints),
    compare: (which) => {
      const number = Math.max(0, endpoints.head());
      return endpoints.compare(which, {
        calls: blockCalls(number),
        accept: (replies) => toBlock(number, replies),
      });
    },
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
