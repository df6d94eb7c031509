import type { EndpointHealth } from '../chainClient.ts';
import { BadAnswer } from './decodeBlock.ts';
import { createRpc, type Rpc, type RpcCall, RpcFailure, type RpcReply } from './rpc.ts';

/** Several endpoints of one chain, used as if they were one that does not fail. */
export type Endpoints = {
  /**
   * Asks the best endpoint, the next one when it fails or `accept` throws, and a second one beside it when it is slow.
   * Fails only when every endpoint failed.
   */
  request<T>(calls: readonly RpcCall[], accept: (replies: readonly RpcReply[]) => T): Promise<T>;
  /** The highest block that an endpoint is known to have. */
  head(): number;
  noteHead(head: number): void;
  /** Asks every endpoint for its head, so that one that stands still is noticed. */
  compare(): Promise<void>;
  health(): EndpointHealth[];
  close(): Promise<void>;
};

type Endpoint = {
  rpc: Rpc;
  isWrongChain: boolean;
  checkedAt: number;
  faults: number;
  lastFault: string | null;
  retryAt: number;
  latencyMs: number | null;
  head: number | null;
};

type Options = {
  urls: readonly string[];
  chainId: number | undefined;
  blockTimeMs: number;
  now: () => number;
  /** Counts every call by its method. */
  counted: (method: string) => void;
};

const timeoutMs = 10_000;
const recheckMs = 300_000;
/** An endpoint this many blocks behind the others is asked last. */
const staleBlocks = 3;

export function createEndpoints({ urls, chainId, blockTimeMs, now, counted }: Options): Endpoints {
  const endpoints = urls.map(
    (url): Endpoint => ({
      rpc: createRpc(url),
      isWrongChain: false,
      checkedAt: 0,
      faults: 0,
      lastFault: null,
      retryAt: 0,
      latencyMs: null,
      head: null,
    }),
  );
  const head = () => Math.max(-1, ...endpoints.map((endpoint) => endpoint.head ?? -1));
  // A fast chain goes on while an answer is on its way.
  const isStale = (endpoint: Endpoint) =>
    endpoint.head !== null && endpoint.head < head() - staleBlocks - Math.ceil(500 / blockTimeMs);

  /** The best first; those in trouble come last but are not left out, since the others may fail as well. */
  function inOrder(): Endpoint[] {
    const usable = endpoints.filter((endpoint) => !endpoint.isWrongChain || endpoint.retryAt <= now());
    const rank = (endpoint: Endpoint) =>
      (endpoint.retryAt > now() ? 4 : 0) + (isStale(endpoint) ? 2 : 0) + (endpoint.faults > 0 ? 1 : 0);
    return usable.sort((a, b) => rank(a) - rank(b));
  }

  async function send<T>(
    endpoint: Endpoint,
    calls: readonly RpcCall[],
    accept: (replies: readonly RpcReply[]) => T,
  ): Promise<T> {
    const start = now();
    const mustCheck = chainId !== undefined && start >= endpoint.checkedAt + recheckMs;
    const sent = mustCheck ? [...calls, { method: 'eth_chainId', params: [] }] : calls;
    for (const { method } of sent) counted(method);
    try {
      const replies = await endpoint.rpc.batch(sent, timeoutMs);
      if (mustCheck) checkChain(endpoint, replies.at(-1)!, start);
      const result = accept(mustCheck ? replies.slice(0, -1) : replies);
      const took = now() - start;
      endpoint.latencyMs = endpoint.latencyMs === null ? took : endpoint.latencyMs * 0.8 + took * 0.2;
      endpoint.faults = 0;
      endpoint.retryAt = 0;
      return result;
    } catch (error) {
      if (!(error instanceof NotYet)) noteFault(endpoint, error);
      throw error;
    }
  }

  function checkChain(endpoint: Endpoint, reply: RpcReply, at: number): void {
    if ('error' in reply) throw new RpcFailure(`it does not tell its chain: ${reply.error.message}`);
    endpoint.isWrongChain = Number(reply.result) !== chainId;
    if (endpoint.isWrongChain)
      throw new RpcFailure(`it serves the chain ${Number(reply.result)} and not ${chainId}`);
    endpoint.checkedAt = at;
  }

  function noteFault(endpoint: Endpoint, error: unknown): void {
    endpoint.faults++;
    endpoint.lastFault = error instanceof Error ? error.message : String(error);
    endpoint.retryAt = now() + Math.min(30_000, 250 * 2 ** Math.min(endpoint.faults, 8));
  }

  function request<T>(calls: readonly RpcCall[], accept: (replies: readonly RpcReply[]) => T): Promise<T> {
    const order = inOrder();
    if (order.length === 0) return Promise.reject(new EndpointsFailed(endpoints.map(describe)));
    return new Promise((resolve, reject) => {
      const faults: unknown[] = [];
      let isDone = false;
      let started = 0;
      let hedge: NodeJS.Timeout | undefined;
      const finish = (settle: () => void) => {
        isDone = true;
        clearTimeout(hedge);
        settle();
      };
      const start = () => {
        const endpoint = order[started];
        if (isDone || !endpoint) return;
        started++;
        clearTimeout(hedge);
        hedge = setTimeout(start, Math.min(2000, Math.max(300, 4 * (endpoint.latencyMs ?? 100))));
        send(endpoint, calls, accept).then(
          (value) => finish(() => resolve(value)),
          (error: unknown) => {
            faults.push(error);
            if (isDone) return;
            if (faults.length === order.length) {
              // "Not yet" of somebody means that the chain is simply not there yet.
              const notYet = faults.find((fault) => fault instanceof NotYet);
              finish(() => reject(notYet ?? new EndpointsFailed(order.map(describe))));
            } else start();
          },
        );
      };
      start();
    });
  }

  async function compare(): Promise<void> {
    if (endpoints.length < 2) return;
    await Promise.allSettled(
      endpoints
        .filter((endpoint) => endpoint.retryAt <= now())
        .map((endpoint) =>
          send(endpoint, [{ method: 'eth_blockNumber', params: [] }], ([reply]) => {
            if (!reply || 'error' in reply) throw new BadAnswer('it does not tell its newest block');
            endpoint.head = Number(reply.result);
          }),
        ),
    );
  }

  const describe = (endpoint: Endpoint) => `${endpoint.rpc.name}: ${endpoint.lastFault ?? 'no fault'}`;

  return {
    request,
    head,
    noteHead: (number) => {
      const first = inOrder()[0];
      if (first) first.head = Math.max(first.head ?? 0, number);
    },
    compare,
    health: () =>
      endpoints.map((endpoint) => ({
        endpoint: endpoint.rpc.name,
        state: endpoint.isWrongChain
          ? 'wrong-chain'
          : endpoint.faults > 0
            ? 'failing'
            : isStale(endpoint)
              ? 'stale'
              : 'ok',
        head: endpoint.head,
        latencyMs: endpoint.latencyMs === null ? null : Math.round(endpoint.latencyMs),
        faults: endpoint.faults,
        lastFault: endpoint.lastFault,
      })),
    close: async () => {
      await Promise.all(endpoints.map(({ rpc }) => rpc.close()));
    },
  };
}

/** An honest "I do not have it yet", which is no fault of an endpoint, although another one may have it. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}

export class EndpointsFailed extends Error {
  override readonly name = 'EndpointsFailed';

  constructor(reasons: readonly string[]) {
    super(`No endpoint of the chain answers. ${reasons.join('; ')}`);
  }
}
