import type { StateResult } from '../../model/stateRead.ts';
import type { ChainClient, ClientOptions, ConnectedClient } from '../chainClient.ts';
import { findImplementation } from '../evm/findImplementation.ts';
import { createBlockReader } from '../net/createBlockReader.ts';
import { createEndpoints } from '../net/createEndpoints.ts';
import { post } from '../net/createRest.ts';
import { numberOf, recordOf } from '../net/members.ts';
import { NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
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
  const reader = createBlockReader(endpoints, {
    calls: (number) => [
      blockCall(number, true),
      post('/wallet/gettransactioninfobyblocknum', { num: number }),
    ],
    headerCall: (which) => blockCall(typeof which === 'number' ? which : undefined),
    isMissing: isEmpty,
    decode(raw, [infos]) {
      const given = resultOf(infos);
      // A block without transactions has no outcomes.
      return decodeBlock(chain.uid, raw, isEmpty(given) ? [] : given, now());
    },
    decodeHeader,
  });

  const readSolid = () => orNull(endpoints.request(solidCalls(), readSolidNumber));

  return {
    chainUid: chain.uid,
    ...reader,
    async header(which) {
      if (which !== 'finalized') return reader.header(which);
      const solid = await readSolid();
      return solid === null ? null : reader.header(solid);
    },
    keepsHistory: false,
    readState,
    async findImplementation(block, address) {
      const implementation = await findImplementation(withoutStorage(readState), block, address);
      return implementation && showAddress(implementation.toLowerCase());
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
    head: endpoints.head,
    setUrls: endpoints.setUrls,
    health: endpoints.health,
    close: endpoints.close,
  };
}

/** On nodes without storage reads, slots of proxies count as empty; proxies with functions are still recognised. */
export function withoutStorage(readState: ChainClient['readState']): ChainClient['readState'] {
  return async (block, questions) =>
    (await readState(block, questions)).map(
      (answer, index): StateResult =>
        'missing' in answer && questions[index]?.type === 'storage'
          ? { value: `0x${'0'.repeat(64)}` }
          : answer,
    );
}
