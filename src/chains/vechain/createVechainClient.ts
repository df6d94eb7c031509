import { isRecord } from '../../lib/isRecord.ts';
import type { ClientOptions, ConnectedClient } from '../chainClient.ts';
import { findImplementation } from '../evm/findImplementation.ts';
import { createBlockReader } from '../net/createBlockReader.ts';
import { createEndpoints } from '../net/createEndpoints.ts';
import { createHeads } from '../net/createHeads.ts';
import { get } from '../net/createRest.ts';
import { NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
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

  const reader = createBlockReader(endpoints, {
    calls: (number) => [blockCall(number, true)],
    headerCall: (which) => blockCall(which === 'latest' ? 'best' : which),
    isMissing: (raw) => raw === null,
    decode: (raw) => decodeBlock(chain.uid, raw, now()),
    decodeHeader,
  });

  return {
    chainUid: chain.uid,
    ...reader,
    readState,
    findImplementation: (block, address) => findImplementation(readState, block, address),
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
