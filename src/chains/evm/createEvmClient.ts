import type { ClientOptions, ConnectedClient } from '../chainClient.ts';
import { createBlockReader } from '../net/createBlockReader.ts';
import { createEndpoints, type Protocol } from '../net/createEndpoints.ts';
import { createHeads } from '../net/createHeads.ts';
import { NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
import type { Transactor } from '../transactor.ts';
import { createLogsCheck } from './createLogsCheck.ts';
import { createStateReader } from './createStateReader.ts';
import { createTransactor } from './createTransactor.ts';
import { decodeHeader, decodeInTurns } from './decodeBlock.ts';
import { evmHeads } from './evmHeads.ts';
import { findImplementation } from './findImplementation.ts';
import { createBroadcaster } from './mempool/createBroadcaster.ts';
import { createMempool } from './mempool/createMempool.ts';
import { toHex } from './toRpcCall.ts';
import { createTracer } from './traces/createTracer.ts';

export type EvmClient = ConnectedClient & { readonly transactor: Transactor };

export function createEvmClient(options: ClientOptions): EvmClient {
  const { chain, urls, now, onCall, traces, traceLimits: limits, relays = [] } = options;
  const heads = createHeads(evmHeads, urls);
  const endpoints = createEndpoints({
    urls,
    ...evmProtocol(chain.chainId),
    blockTimeMs: chain.blockTimeMs,
    now,
    onCall,
  });
  const tracer = traces === 'off' ? undefined : createTracer({ urls, now, onCall, limits });
  const mempool = createMempool({ chainUid: chain.uid, urls, now, onCall });
  const broadcaster = createBroadcaster({ urls, relays, head: endpoints.head, onCall });
  const readState = createStateReader(endpoints, now, tracer !== undefined);
  const logsFault = createLogsCheck(now);

  const reader = createBlockReader(endpoints, {
    // Block and logs in one request: two calls.
    calls: (number) => [
      { method: 'eth_getBlockByNumber', params: [toHex(number), true] },
      { method: 'eth_getLogs', params: [{ fromBlock: toHex(number), toBlock: toHex(number) }] },
    ],
    headerCall: (which) => ({
      method: 'eth_getBlockByNumber',
      params: [
        typeof which === 'number' ? toHex(which) : which === 'finalized' ? (chain.finality ?? which) : which,
        false,
      ],
    }),
    isMissing: (raw) => raw === null,
    decode: (raw, [logs]) => decodeInTurns(chain.uid, raw, resultOf(logs), now(), logsFault),
    decodeHeader,
  });

  return {
    chainUid: chain.uid,
    ...reader,
    header: (which) =>
      which === 'finalized' && chain.finality === 'confirmations'
        ? Promise.resolve(null)
        : reader.header(which),
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
    transactor: createTransactor(endpoints, chain, broadcaster.send),
    ...(tracer ? { tracer } : { isTracingOff: true }),
    mempool,
    head: endpoints.head,
    onHead: heads.onHead,
    setUrls(next) {
      endpoints.setUrls(next);
      tracer?.setUrls(next);
      mempool.setUrls(next);
      broadcaster.setUrls(next);
      heads.setUrls(next);
    },
    health: endpoints.health,
    close: async () => {
      await Promise.all([endpoints.close(), tracer?.close(), mempool.close(), broadcaster.close()]);
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
