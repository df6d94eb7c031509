import { createBriefCache } from '../../../lib/createBriefCache.ts';
import { itemAt } from '../../../lib/itemAt.ts';
import { messageOf } from '../../../lib/messageOf.ts';
import type { Block, BlockFrames, Frame, Transaction } from '../../../model/block.ts';
import { NotTraced } from '../../../model/traceState.ts';
import {
  type TraceKind,
  type TraceLimits,
  type TraceOptions,
  type Tracer,
  traceKinds,
} from '../../chainClient.ts';
import { createRpc, type Rpc, type RpcCall } from '../../net/createRpc.ts';
import { isUnknownCall } from '../../net/isUnknownCall.ts';
import { InvalidResponse } from '../../net/replies.ts';
import { requestInTurn } from '../../net/requestInTurn.ts';
import { AnswerTooLarge } from '../../net/rpcFailure.ts';
import { toHex } from '../toRpcCall.ts';
import { decodeFrames } from './decodeFrames.ts';
import { headsTracer } from './headsTracer.ts';
import { isOfOne, traceEach } from './traceEach.ts';
import { answerLimits, traceLimits } from './traceLimits.ts';
import { traceReading } from './traceReading.ts';

type Options = {
  urls: readonly string[];
  now: () => number;
  /** Counts every call by its method. */
  onCall: (method: string) => void;
  limits?: Partial<TraceLimits> | undefined;
};

type Endpoint = {
  readonly url: string;
  readonly rpc: Rpc;
  /** Its way of tracing, null when it has none; undefined until it was asked. */
  kind: TraceKind | null | undefined;
  askedAt: number;
  faults: number;
  retryAt: number;
};

const timeoutMs = 15_000;
/** An endpoint that takes longer has another one asked beside it. */
const patienceMs = 3000;
/** An endpoint that does not trace is asked again after this long: its operator may have changed that. */
const askAgainMs = 600_000;
/**
 * Faults after which an endpoint that never traced counts as one that does not. Before that it may only limit requests,
 * and the blocks that wait for its traces must not be lost.
 */
const maxUnknownFaults = 20;
/** The traces of single transactions are read page by page, so that the last few are kept for a moment, if they are not huge. */
const keptMs = 60_000;
const maxKept = 4;
const maxKeptFrames = 200_000;

/**
 * Asks endpoints for the calls within blocks, over separate connections: large, slow traces must not delay blocks, and
 * failures at them do not make an endpoint bad for the rest.
 */
export function createTracer({ urls, now, onCall, limits: given }: Options) {
  const limits = { ...traceLimits, ...given };
  const open = (url: string): Endpoint => ({
    url,
    rpc: createRpc(url, { pieces: traceReading, limits: ([call]) => answerLimits(limits, call) }),
    kind: undefined,
    askedAt: 0,
    faults: 0,
    retryAt: 0,
  });
  let endpoints = urls.map(open);
  const kept = createBriefCache<readonly Frame[]>(keptMs, maxKept, now, {
    weigh: ({ length }) => length,
    max: maxKeptFrames,
  });

  const isOut = ({ kind, askedAt }: Endpoint) => kind === null && now() < askedAt + askAgainMs;
  const isMute = ({ kind, faults }: Endpoint) => kind === undefined && faults >= maxUnknownFaults;
  const rank = ({ kind, faults, retryAt }: Endpoint) =>
    (retryAt > now() ? 4 : 0) + (faults > 0 ? 2 : 0) + (kind ? 0 : 1);

  async function frames(block: Block, options: TraceOptions = {}): Promise<BlockFrames> {
    if (block.transactions.length === 0) return [];
    const oneByOne = () =>
      traceEach(block, (one) => traceOne(block, one.index, options), { ...options, limits, now });
    if (options.only) return oneByOne();
    try {
      return await request((endpoint) => ask(endpoint, block));
    } catch (error) {
      if (!(error instanceof NotTraced) || !isOfOne(error, options)) throw error;
      return oneByOne();
    }
  }

  function transaction(block: Block, { hash, index }: Transaction): Promise<readonly Frame[]> {
    return kept(`${block.hash} ${hash}`, async () => {
      const [frames] = await orByHeads(block, index, {}, () =>
        request((endpoint) => ask(endpoint, block, index)),
      );
      return frames ?? [];
    });
  }

  function traceOne(block: Block, index: number, options: TraceOptions): Promise<BlockFrames> {
    return orByHeads(block, index, options, () => request((endpoint) => ask(endpoint, block, index, true)));
  }

  /** Asks the node for the heads of inputs alone where one transaction's trace is too large. */
  async function orByHeads(
    block: Block,
    index: number,
    options: TraceOptions,
    trace: () => Promise<BlockFrames>,
  ): Promise<BlockFrames> {
    try {
      return await trace();
    } catch (error) {
      if (!(error instanceof NotTraced) || !isOfOne(error, options)) throw error;
      // The trace itself stands in the way, whatever becomes of this attempt.
      return request((endpoint) => askHeads(endpoint, block, index)).catch(() => Promise.reject(error));
    }
  }

  async function askHeads({ rpc }: Endpoint, block: Block, index: number): Promise<BlockFrames> {
    const { hash } = itemAt(block.transactions, index);
    const method = 'debug_traceTransaction';
    onCall(method);
    const [reply] = await rpc.batch(
      [{ method, params: [hash, { tracer: headsTracer, timeout: '10s' }] }],
      timeoutMs,
    );
    if (!reply || 'error' in reply) throw new NotTraced('unsupported', 'it runs no tracers of others');
    return decodeFrames('debug', reply.result, block, index);
  }

  async function request(askOne: (endpoint: Endpoint) => Promise<BlockFrames>): Promise<BlockFrames> {
    const order = endpoints.filter((endpoint) => !isOut(endpoint)).sort((x, y) => rank(x) - rank(y));
    if (order.length === 0) throw toNotTraced([], false);
    const outcome = await requestInTurn(order, askOne, {
      patienceMs: () => patienceMs,
      isSettled: () => false,
      isAnswer: () => false,
      overtaken: recordFault,
    });
    if ('value' in outcome) return outcome.value;
    throw toNotTraced(
      outcome.faults,
      endpoints.some((endpoint) => endpoint.kind || !(isOut(endpoint) || isMute(endpoint))),
    );
  }

  function recordFault(endpoint: Endpoint): void {
    endpoint.faults++;
    endpoint.retryAt = now() + Math.min(30_000, 250 * 2 ** Math.min(endpoint.faults, 8));
  }

  async function ask(endpoint: Endpoint, block: Block, only?: number, isAlone = false): Promise<BlockFrames> {
    try {
      return await askOnce(endpoint, block, only, isAlone);
    } catch (error) {
      recordFault(endpoint);
      throw error;
    }
  }

  /**
   * Finds out once by asking which method works. `only`: the frames of that transaction. `isAlone`: without tracing the
   * whole block, which is too large.
   */
  async function askOnce(
    endpoint: Endpoint,
    block: Block,
    only?: number,
    isAlone = false,
  ): Promise<BlockFrames> {
    for (const kind of endpoint.kind ? [endpoint.kind] : traceKinds) {
      const call = toCall(kind, block, only);
      onCall(call.method);
      const [reply] = await endpoint.rpc.batch([call], timeoutMs);
      if (!reply || isUnknownCall(reply)) continue;
      const raw = 'error' in reply ? fail(reply.error.message) : reply.result;
      // It knows the call, whatever comes of it.
      endpoint.kind = kind;
      if (raw === null) throw new NotTraced('unanswered', 'it does not have the block yet');
      const decoded = await decodeFrames(kind, raw, block, only);
      endpoint.faults = 0;
      endpoint.retryAt = 0;
      return decoded;
    }
    // Some providers trace blocks and no single transactions.
    if (only !== undefined && endpoint.kind) {
      if (isAlone) throw new NotTraced('too large', 'it does not trace single transactions');
      const whole = await askOnce(endpoint, block);
      return whole.slice(only, only + 1);
    }
    endpoint.kind = null;
    endpoint.askedAt = now();
    throw new NotTraced('unsupported', 'it does not trace');
  }

  return {
    frames,
    transaction,
    kinds() {
      const offered = traceKinds.filter((candidate) => endpoints.some(({ kind }) => kind === candidate));
      const isNone =
        endpoints.some(isOut) && endpoints.every((endpoint) => isOut(endpoint) || isMute(endpoint));
      return offered.length > 0 || isNone ? offered : undefined;
    },
    setUrls(next: readonly string[]): void {
      const former = endpoints;
      endpoints = next.map((url) => former.find((endpoint) => endpoint.url === url) ?? open(url));
      for (const endpoint of former) if (!endpoints.includes(endpoint)) void endpoint.rpc.close();
    },
    close: async () => {
      await Promise.all(endpoints.map(({ rpc }) => rpc.close()));
    },
  } satisfies Tracer & Record<string, unknown>;
}

function toCall(kind: TraceKind, { hash, number, transactions }: Block, only?: number): RpcCall {
  const wantedHash = only === undefined ? undefined : itemAt(transactions, only).hash;
  if (kind === 'trace')
    return wantedHash === undefined
      ? { method: 'trace_block', params: [toHex(number)] }
      : { method: 'trace_transaction', params: [wantedHash] };
  const method = wantedHash === undefined ? 'debug_traceBlockByHash' : 'debug_traceTransaction';
  return { method, params: [wantedHash ?? hash, { tracer: 'callTracer', timeout: '10s' }] };
}

function fail(message: string): never {
  throw new NotTraced('unanswered', message);
}

/** By the worst of what endpoints did; `isKnownTo`: one of them traces, or may. One that answers wrongly matters more than one that does not answer. */
function toNotTraced(faults: readonly unknown[], isKnownTo: boolean): NotTraced {
  const is = (kind: new (...args: never[]) => Error) => faults.some((fault) => fault instanceof kind);
  const isUnsupported = (fault: unknown) => fault instanceof NotTraced && fault.reason === 'unsupported';
  // If one endpoint does not trace and the rest never did, none does.
  if (faults.every(isUnsupported) || (!isKnownTo && faults.some(isUnsupported)))
    return new NotTraced('unsupported', 'No node of the chain traces calls.');
  const said = [...new Set(faults.map(messageOf))].join('; ');
  if (is(InvalidResponse))
    return new NotTraced('wrong', `The traces of nodes do not fit the block: ${said}.`);
  const isTooLarge = (fault: unknown) => fault instanceof NotTraced && fault.reason === 'too large';
  if (is(AnswerTooLarge) || faults.some(isTooLarge))
    return new NotTraced('too large', 'The traces are too large.');
  return new NotTraced('unanswered', `No node gave the traces of the block: ${said}.`);
}
