import type { Block, Header } from '../../model/block.ts';
import type { StateResult } from '../../model/stateRead.ts';
import type { ChainClient, ClientOptions, ConnectedClient } from '../chainClient.ts';
import { findImplementation } from '../evm/findImplementation.ts';
import { createEndpoints } from '../net/createEndpoints.ts';
import { post } from '../net/createRest.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { numberOf, recordOf } from '../net/members.ts';
import { InvalidResponse, NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
import { createStateReader } from './createStateReader.ts';
import { createTransactor } from './createTransactor.ts';
import { decodeBlock, decodeHeader } from './decodeBlock.ts';
import { showAddress } from './tronAddress.ts';
import { blockCall, isEmpty, readSolidNumber, solidCalls, tronProtocol } from './tronProtocol.ts';

/** Follows a chain through the HTTP API of java-tron: two calls a block. */
export function createTronClient({ chain, urls, now, onCall }: ClientOptions): ConnectedClient {
  const endpoints = createEndpoints({
    ...tronProtocol(chain),
    urls,
    blockTimeMs: chain.blockTimeMs,
    now,
    onCall,
  });
  const readState = createStateReader(endpoints, now);
  const blockCalls = (number: number) => [
    blockCall(number, true),
    post('/wallet/gettransactioninfobyblocknum', { num: number }),
  ];

  function toBlock(number: number, [block, infos]: readonly RpcReply[]): Block {
    const raw = resultOf(block);
    if (isEmpty(raw)) throw new NotAvailableYet(number);
    const given = resultOf(infos);
    // A block without transactions has no outcomes.
    const decoded = decodeBlock(chain.uid, raw, isEmpty(given) ? [] : given, now());
    if (decoded.number !== number) throw new InvalidResponse(`it sent block ${decoded.number} for ${number}`);
    return decoded;
  }

  const readHeader = (number?: number) =>
    orNull(
      endpoints.request([blockCall(number)], ([reply], has): Header => {
        const raw = resultOf(reply);
        if (isEmpty(raw)) throw new NotAvailableYet(number);
        const header = decodeHeader(raw);
        if (number !== undefined && header.number !== number)
          throw new InvalidResponse(`it sent block ${header.number} for ${number}`);
        has(header.number);
        return header;
      }),
    );

  const readSolid = () => orNull(endpoints.request(solidCalls(), readSolidNumber));

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
    async header(which) {
      if (which !== 'finalized') return readHeader(which === 'latest' ? undefined : which);
      const solid = await readSolid();
      return solid === null ? null : readHeader(solid);
    },
    keepsHistory: false,
    readState,
    async findImplementation(at, address) {
      const found = await findImplementation(withoutStorage(readState), at, address);
      return found && showAddress(found.toLowerCase());
    },
    blockOfTransaction: (hash) =>
      orNull(
        endpoints.request([post('/wallet/gettransactioninfobyid', { value: hash })], ([reply]) => {
          const raw = resultOf(reply);
          if (isEmpty(raw)) throw new NotAvailableYet();
          return numberOf(recordOf(raw).blockNumber, 'blockNumber');
        }),
      ),
    transactor: createTransactor(endpoints, chain),
    // Nodes announce nothing: a block comes every three seconds, and is polled for.
    onHead: () => ({ appeared: () => {}, stop: () => {} }),
    checkEndpoints: (which) => {
      const number = Math.max(0, endpoints.head());
      return endpoints.checkAll(which, {
        calls: blockCalls(number),
        accept: (replies) => toBlock(number, replies),
      });
    },
    head: endpoints.head,
    setUrls: endpoints.setUrls,
    health: endpoints.health,
    close: endpoints.close,
  };
}

/** Where nodes do not tell the storage, the slots of proxies count as empty: a proxy with functions is still recognised. */
export function withoutStorage(readState: ChainClient['readState']): ChainClient['readState'] {
  return async (at, questions) =>
    (await readState(at, questions)).map(
      (answer, place): StateResult =>
        'missing' in answer && questions[place]?.type === 'storage'
          ? { value: `0x${'0'.repeat(64)}` }
          : answer,
    );
}
