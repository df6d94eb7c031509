import { cutText } from '../../lib/cutText.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { type EndpointReport, emptyReport } from '../chainFamily.ts';
import type { Chain } from '../chains.ts';
import { archiveDepth, largest } from '../net/archiveDepth.ts';
import { createRpc, type RpcCall, RpcFailure, type RpcReply } from '../net/createRpc.ts';
import { toHex } from './toRpcCall.ts';

const timeLimitMs = 12_000;
const callTimeoutMs = 4000;
/** Providers limit the range of a search for logs; nodes of one's own allow more than anyone needs. */
const logRanges = [1, 10, 50, 100, 500, 800, 1000, 2000, 3000, 5000, 10_000, 20_000, 50_000, 100_000];

const nowhere = '0x0000000000000000000000000000000000000000';
/** No contract is there and no event has this topic, so that a search finds nothing and is cheap. */
const noLogs = { address: '0x000000000000000000000000000000000000dEaD', topics: [`0x${'00'.repeat(32)}`] };

/** Finds out what an endpoint can do, with about 20 calls within 12 s. */
export async function probeEndpoint(url: string, chain: Chain): Promise<EndpointReport> {
  const expectedId = idOf(chain);
  const rpc = createRpc(url);
  const endsAt = performance.now() + timeLimitMs;
  const ask = async (method: string, ...params: unknown[]): Promise<RpcReply> => {
    const remainingMs = Math.ceil(endsAt - performance.now());
    if (remainingMs <= 0) throw new RpcFailure('it takes too long to answer');
    return askOnce(rpc, { method, params }, Math.min(callTimeoutMs, remainingMs));
  };
  const report: EndpointReport = { ...emptyReport };
  try {
    report.chainId = readChainId(await ask('eth_chainId'));
    report.fault = wrongChain(report.chainId, expectedId);
    if (report.fault !== null) return report;
    const startedAt = performance.now();
    const head = readNumber(await ask('eth_blockNumber'), 'its newest block');
    report.latencyMs = Math.round(performance.now() - startedAt);
    report.head = head;
    const [archiveDepth, traces, pendingTransactions, logRange] = await Promise.all([
      orNull(findArchiveDepth(ask, head)),
      orNull(findTraces(ask)),
      orNull(findPending(ask)),
      orNull(findLogRange(ask, head)),
    ]);
    const isArchive = archiveDepth === null ? null : archiveDepth === head;
    return { ...report, archiveDepth, isArchive, traces, pendingTransactions, logRange };
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return { ...report, fault: describe(error) };
  } finally {
    await rpc.close();
  }
}

/** The fault of an endpoint for a chain, found with one call; undefined when it serves the chain. */
export async function endpointFault(url: string, chain: Chain): Promise<string | undefined> {
  const expectedId = idOf(chain);
  const rpc = createRpc(url);
  try {
    const reply = await askOnce(rpc, { method: 'eth_chainId', params: [] }, callTimeoutMs);
    return wrongChain(readChainId(reply), expectedId) ?? undefined;
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return describe(error);
  } finally {
    await rpc.close();
  }
}

function idOf({ uid, chainId }: Chain): number {
  if (chainId === undefined) throw new Error(`The chain ${uid} has no chain id.`);
  return chainId;
}

type Ask = (method: string, ...params: unknown[]) => Promise<RpcReply>;

async function askOnce(
  rpc: ReturnType<typeof createRpc>,
  call: RpcCall,
  timeoutMs: number,
): Promise<RpcReply> {
  const [reply] = await rpc.batch([call], timeoutMs);
  if (!reply) throw new RpcFailure('a reply is missing from its answer');
  return reply;
}

function readChainId(reply: RpcReply): number {
  return readNumber(reply, 'its chain');
}

function readNumber(reply: RpcReply, what: string): number {
  if ('error' in reply) throw new RpcFailure(`it does not report ${what}: ${reply.error.message}`);
  const { result } = reply;
  const number =
    typeof result === 'string' && /^0x[0-9a-f]{1,13}$/i.test(result) ? Number(result) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new RpcFailure(`it does not report ${what}`);
  return number;
}

function wrongChain(chainId: number, expectedId: number): string | null {
  return chainId === expectedId ? null : `it serves the chain ${chainId} and not ${expectedId}`;
}

const maxFaultLength = 300;

function describe(error: RpcFailure): string {
  return cutText(messageOf(error), maxFaultLength);
}

function findArchiveDepth(ask: Ask, head: number): Promise<number> {
  return archiveDepth(head, async (number) =>
    isAnswered(await ask('eth_getBalance', nowhere, toHex(number))),
  );
}

async function findTraces(ask: Ask): Promise<EndpointReport['traces']> {
  const call = { from: nowhere, to: nowhere };
  const debug = isAnswered(await ask('debug_traceCall', call, 'latest', { tracer: 'callTracer' }));
  const trace = isAnswered(await ask('trace_call', call, ['trace'], 'latest'));
  return [...(debug ? (['debug'] as const) : []), ...(trace ? (['trace'] as const) : [])];
}

async function findPending(ask: Ask): Promise<boolean> {
  const reply = await ask('eth_newPendingTransactionFilter');
  if ('error' in reply) return false;
  await ask('eth_uninstallFilter', reply.result);
  return true;
}

async function findLogRange(ask: Ask, head: number): Promise<number> {
  const ranges = logRanges.filter((range) => range <= head + 1);
  return largest(ranges, async (range) =>
    isAnswered(
      await ask('eth_getLogs', { fromBlock: toHex(head - range + 1), toBlock: toHex(head), ...noLogs }),
    ),
  );
}

function isAnswered(reply: RpcReply): boolean {
  return 'result' in reply && reply.result !== null;
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RpcFailure) return null;
    throw error;
  }
}
