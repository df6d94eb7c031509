import { membersOf } from '../../lib/isRecord.ts';
import type { ChainClient, ClientOptions, ConnectedClient } from '../chainClient.ts';
import { createBlockReader } from '../net/createBlockReader.ts';
import { createEndpoints, EndpointsFailed, type Protocol } from '../net/createEndpoints.ts';
import { createHeads } from '../net/createHeads.ts';
import { type RpcCall, RpcFailure } from '../net/createRpc.ts';
import { NodeRefusal, NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
import type { Transactor } from '../transactor.ts';
import { createLogsCheck } from './createLogsCheck.ts';
import { createStateReader } from './createStateReader.ts';
import { createTransactor } from './createTransactor.ts';
import { decodeHeader, decodeInTurns } from './decodeBlock.ts';
import { evmHeads } from './evmHeads.ts';
import { findImplementation } from './findImplementation.ts';
import { findOrigin } from './findOrigin.ts';
import { createBroadcaster } from './mempool/createBroadcaster.ts';
import { createMempool } from './mempool/createMempool.ts';
import { rehearseCall } from './rehearseCall.ts';
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
  const mempool = createMempool({
    chainUid: chain.uid,
    blockTimeMs: chain.blockTimeMs,
    urls,
    now,
    onCall,
  });
  const broadcaster = createBroadcaster({ urls, relays, head: endpoints.head, onCall });
  const readState = createStateReader(endpoints, now, tracer !== undefined);
  const logsCheck = createLogsCheck(now);

  /** Block and logs in one request: two calls. */
  const openReader = (logsCall: (number: string) => RpcCall, logsOf: (result: unknown) => unknown) =>
    createBlockReader(endpoints, {
      calls: (number) => [
        { method: 'eth_getBlockByNumber', params: [toHex(number), true] },
        logsCall(toHex(number)),
      ],
      headerCall: (which) => ({
        method: 'eth_getBlockByNumber',
        params: [
          typeof which === 'number'
            ? toHex(which)
            : which === 'finalized'
              ? (chain.finality ?? which)
              : which,
          false,
        ],
      }),
      isMissing: (raw) => raw === null,
      isWhole: (raw) => logsCheck.isEmpty(membersOf(raw)),
      decode: (raw, [logs]) =>
        decodeInTurns(chain.uid, raw, logs ? logsOf(resultOf(logs)) : [], now(), logsCheck.fault),
      decodeHeader,
    });
  const reader = openReader(
    (number) => ({ method: 'eth_getLogs', params: [{ fromBlock: number, toBlock: number }] }),
    (logs) => logs,
  );
  const byReceipts = openReader((number) => ({ method: 'eth_getBlockReceipts', params: [number] }), logsIn);
  let refusedUntil = 0;
  /** Receipts have the logs too, where no node gives these by themselves: no block waits for them. */
  const block: ChainClient['block'] = async (number, parentHash, isAnnounced) => {
    if (now() < refusedUntil) {
      const block = await byReceipts.block(number, parentHash, isAnnounced).catch(() => undefined);
      if (block !== undefined) return block;
    }
    try {
      return await reader.block(number, parentHash, isAnnounced);
    } catch (error) {
      if (!(error instanceof EndpointsFailed) || !error.faults.some(isRefusal)) throw error;
      const block = await byReceipts.block(number, parentHash).catch(() => {
        throw error;
      });
      refusedUntil = now() + refusalMs;
      return block;
    }
  };

  return {
    chainUid: chain.uid,
    ...reader,
    block,
    header: (which) =>
      which === 'finalized' && chain.finality === 'confirmations'
        ? Promise.resolve(null)
        : reader.header(which),
    readState,
    findImplementation: (at, address) => findImplementation(readState, at, address),
    findOrigin: (block, query) => findOrigin(endpoints, chain.blockTimeMs, block, query),
    blockOfTransaction: (hash) =>
      orNull(
        endpoints.request([{ method: 'eth_getTransactionByHash', params: [hash] }], ([reply]) => {
          const raw = resultOf(reply);
          if (typeof raw !== 'object' || raw === null || !('blockNumber' in raw) || raw.blockNumber === null)
            throw new NotAvailableYet();
          return Number(raw.blockNumber);
        }),
      ),
    rehearse: (call) => rehearseCall(endpoints, call),
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

/** Nodes that refuse a read are not asked for it again at every block. */
const refusalMs = 30_000;

function isRefusal(fault: unknown): boolean {
  return (
    fault instanceof NodeRefusal ||
    (fault instanceof RpcFailure && /status (402|403|429)/.test(fault.message))
  );
}

/** The logs of a block from its receipts. */
function logsIn(receipts: unknown): unknown {
  if (!Array.isArray(receipts)) return receipts;
  return receipts.flatMap((receipt: unknown) => membersOf(receipt).logs ?? []);
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
