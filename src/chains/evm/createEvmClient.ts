import type { Block, Header } from '../../model/block.ts';
import type { ClientOptions, ConnectedClient } from '../chainClient.ts';
import { createEndpoints, type Protocol } from '../net/createEndpoints.ts';
import { createHeads } from '../net/createHeads.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { InvalidResponse, NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
import type { Transactor } from '../transactor.ts';
import { createLogsCheck } from './createLogsCheck.ts';
import { createStateReader } from './createStateReader.ts';
import { createTransactor } from './createTransactor.ts';
import { decodeBlock, decodeHeader } from './decodeBlock.ts';
import { evmHeads } from './evmHeads.ts';
import { findImplementation } from './findImplementation.ts';
import { toHex } from './toRpcCall.ts';
import { createTracer } from './traces/createTracer.ts';

export type EvmClient = ConnectedClient & { readonly transactor: Transactor };

export function createEvmClient({ chain, urls, now, onCall }: ClientOptions): EvmClient {
  const heads = createHeads(evmHeads, urls);
  const endpoints = createEndpoints({
    urls,
    ...evmProtocol(chain.chainId),
    blockTimeMs: chain.blockTimeMs,
    now,
    onCall,
  });
  const tracer = createTracer({ urls, now, onCall });
  const readState = createStateReader(endpoints, now);
  const logsFault = createLogsCheck(now);

  /** Block and logs in one request: two calls. */
  const blockCalls = (number: number) => [
    { method: 'eth_getBlockByNumber', params: [toHex(number), true] },
    { method: 'eth_getLogs', params: [{ fromBlock: toHex(number), toBlock: toHex(number) }] },
  ];

  function toBlock(number: number, [block, logs]: readonly RpcReply[]): Block {
    const raw = resultOf(block);
    // Before the logs, since some nodes answer an error to a question for logs of a block that they do not have.
    if (raw === null) throw new NotAvailableYet(number);
    const decoded = decodeBlock(chain.uid, raw, resultOf(logs), now(), logsFault);
    if (decoded.number !== number) throw new InvalidResponse(`it sent block ${decoded.number} for ${number}`);
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
          throw new NotAvailableYet();
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
            if (which === 'finalized' && reply && 'error' in reply) throw new NotAvailableYet();
            const raw = resultOf(reply);
            if (raw === null) throw new NotAvailableYet(typeof which === 'number' ? which : undefined);
            const header = decodeHeader(raw);
            if (typeof which === 'number' && header.number !== which)
              throw new InvalidResponse(`it sent block ${header.number} for ${which}`);
            has(header.number);
            return header;
          },
        ),
      ),
    readState,
    findImplementation: (at, address) => findImplementation(readState, at, address),
    blockOfTransaction: (hash) =>
      orNull(
        endpoints.request([{ method: 'eth_getTransactionByHash', params: [hash] }], ([reply]) => {
          const raw = resultOf(reply);
          if (typeof raw !== 'object' || raw === null || !('blockNumber' in raw) || raw.blockNumber === null)
            throw new NotAvailableYet();
          return Number(raw.blockNumber);
        }),
      ),
    transactor: createTransactor(endpoints, chain),
    tracer,
    checkEndpoints: (which) => {
      const number = Math.max(0, endpoints.head());
      return endpoints.checkAll(which, {
        calls: blockCalls(number),
        accept: (replies) => toBlock(number, replies),
      });
    },
    head: endpoints.head,
    onHead: heads.onHead,
    setUrls(next) {
      endpoints.setUrls(next);
      tracer.setUrls(next);
      heads.setUrls(next);
    },
    health: endpoints.health,
    close: async () => {
      await Promise.all([endpoints.close(), tracer.close()]);
    },
  };
}

function evmProtocol(chainId: number | undefined): Protocol {
  return {
    ...(chainId !== undefined && {
      identity: {
        call: { method: 'eth_chainId', params: [] },
        faultOf: (result) =>
          Number(result) === chainId ? undefined : `it serves the chain ${Number(result)} and not ${chainId}`,
      },
    }),
    newest: { call: { method: 'eth_blockNumber', params: [] }, read: Number },
  };
}
