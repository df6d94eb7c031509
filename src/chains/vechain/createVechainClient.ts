import { isRecord } from '../../lib/isRecord.ts';
import type { Block, Header } from '../../model/block.ts';
import type { ClientOptions, ConnectedClient } from '../chainClient.ts';
import { findImplementation } from '../evm/findImplementation.ts';
import { createEndpoints } from '../net/createEndpoints.ts';
import { createHeads } from '../net/createHeads.ts';
import { get } from '../net/createRest.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { InvalidResponse, NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
import { createStateReader } from './createStateReader.ts';
import { createTransactor } from './createTransactor.ts';
import { decodeBlock, decodeHeader } from './decodeBlock.ts';
import { blockCall, vechainHeads, vechainProtocol } from './vechainProtocol.ts';

/** Follows a chain through the REST API of Thor nodes: one call a block, and heads as they announce them. */
export function createVechainClient({ chain, urls, now, onCall }: ClientOptions): ConnectedClient {
  const heads = createHeads(vechainHeads, urls);
  const endpoints = createEndpoints({
    ...vechainProtocol(chain),
    urls,
    blockTimeMs: chain.blockTimeMs,
    now,
    onCall,
  });
  const readState = createStateReader(endpoints, now);

  function toBlock(number: number, [reply]: readonly RpcReply[]): Block {
    const raw = resultOf(reply);
    if (raw === null) throw new NotAvailableYet(number);
    const block = decodeBlock(chain.uid, raw, now());
    if (block.number !== number) throw new InvalidResponse(`it sent block ${block.number} for ${number}`);
    return block;
  }

  return {
    chainUid: chain.uid,
    async block(number, parentHash) {
      let other: Block | undefined;
      const fitting = await orNull(
        endpoints.request([blockCall(number, true)], (replies, has) => {
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
        endpoints.request([blockCall(which === 'latest' ? 'best' : which)], ([reply], has): Header => {
          // Older nodes do not know what is final, which is no fault of them.
          if (which === 'finalized' && reply && 'error' in reply) throw new NotAvailableYet();
          const raw = resultOf(reply);
          if (raw === null) throw new NotAvailableYet(typeof which === 'number' ? which : undefined);
          const header = decodeHeader(raw);
          if (typeof which === 'number' && header.number !== which)
            throw new InvalidResponse(`it sent block ${header.number} for ${which}`);
          has(header.number);
          return header;
        }),
      ),
    readState,
    findImplementation: (at, address) => findImplementation(readState, at, address),
    blockOfTransaction: (hash) =>
      orNull(
        endpoints.request([get('/transactions', `/${hash}`)], ([reply]) => {
          const raw = resultOf(reply);
          const meta = isRecord(raw) ? raw.meta : undefined;
          if (!isRecord(meta)) throw new NotAvailableYet();
          return Number(meta.blockNumber);
        }),
      ),
    transactor: createTransactor(endpoints, chain),
    checkEndpoints: (which) => {
      const number = Math.max(0, endpoints.head());
      return endpoints.checkAll(which, {
        calls: [blockCall(number, true)],
        accept: (replies) => toBlock(number, replies),
      });
    },
    head: endpoints.head,
    onHead: heads.onHead,
    setUrls(next) {
      endpoints.setUrls(next);
      heads.setUrls(next);
    },
    health: endpoints.health,
    close: endpoints.close,
  };
}
