import { cutText } from '../../lib/cutText.ts';
import { itemAt } from '../../lib/itemAt.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import type { EndpointHealth } from '../chainClient.ts';
import { createRpc, type Rpc, type RpcCall, RpcFailure, type RpcReply } from './createRpc.ts';
import { InvalidResponse, NodeRefusal, NotAvailableYet, WrongForm } from './replies.ts';
import { requestInTurn } from './requestInTurn.ts';

/** Several endpoints of one chain, used as if they were one that does not fail. */
export type Endpoints = {
  /**
   * Asks the best endpoint, the next when it fails or `accept` throws, and a second beside a slow one, which long work
   * (`longMs`) does without. Fails only when every endpoint failed.
   */
  request<T>(calls: readonly RpcCall[], accept: Accept<T>, longMs?: number): Promise<T>;
  /**
   * Runs `work` on every endpoint by itself. Leaves out endpoints that are unreachable or serve a different chain;
   * throws for any further failure, because its answer is needed, and when none answers.
   */
  onEach<T>(work: (request: Endpoints['request']) => Promise<T>): Promise<T[]>;
  /**
   * Sends the same to every endpoint at once. One that is much slower than the first to answer is not waited for, and one that
   * fails is left out; throws when none answers.
   */
  sendToAll<T>(calls: readonly RpcCall[], accept: Accept<T>): Promise<T[]>;
  /** The highest block that an endpoint is known to have. */
  head(): number;
  /** Reads the head of every endpoint to detect stale ones; unhealthy ones must also pass `trial`. */
  checkAll(which: 'all' | 'troubled', trial: Trial): Promise<void>;
  health(): EndpointHealth[];
  /** Uses these from now on; those that stay keep what is known of them. */
  setUrls(urls: readonly string[]): void;
  close(): Promise<void>;
};

/** Call `has` with the newest block that the endpoint has shown to have. */
export type Accept<T> = (replies: readonly RpcReply[], has: (head: number) => void) => T | Promise<T>;
type Trial = { calls: readonly RpcCall[]; accept: (replies: readonly RpcReply[]) => unknown };

type Endpoint = {
  url: string;
  rpc: Rpc;
  isWrongChain: boolean;
  /** As of when it was last compared with the others; spare endpoints are not asked at every block. */
  isStale: boolean;
  checkedAt: number;
  faults: number;
  lastFault: string | null;
  lastFaultAt: number | null;
  /** Methods with wrong answers; right answers to others do not make up for them. */
  wrongAt: readonly string[];
  retryAt: number;
  latencyMs: number | null;
  head: number | null;
};

/** Connection to nodes of a family, their identity and their progress. */
export type Protocol = {
  connect?: (url: string) => Rpc;
  /** The fault of the chain that an endpoint serves; undefined if it is the right one. */
  readonly identity?: { call: RpcCall; faultOf: (result: unknown) => string | undefined };
  readonly newest: { call: RpcCall; read: (result: unknown) => number };
};

type Options = Protocol & {
  urls: readonly string[];
  blockTimeMs: number;
  now: () => number;
  /** Counts every call by its method. */
  onCall: (method: string) => void;
};

const timeoutMs = 10_000;
/** A fault may repeat what the node sent. */
const maxFaultLength = 300;
/** So often in a row an answer may contradict itself or the chain: a node may be about to learn what belongs to a new block. */
const maxContradictions = 5;
const recheckMs = 300_000;
/** Wait for further answers after the first one. */
const lateMs = 1000;
/** An endpoint this many blocks behind the others is asked last. */
const staleBlocks = 3;

export function createEndpoints({
  urls,
  connect = createRpc,
  identity,
  newest,
  blockTimeMs,
  now,
  onCall,
}: Options): Endpoints {
  let endpoints = urls.map((url) => createEndpoint(url, connect));
  /** Closed once the requests that are under way have ended. */
  const retired = new Set<Rpc>();
  const head = () => Math.max(-1, ...endpoints.map((endpoint) => endpoint.head ?? -1));
  // A fast chain goes on while an answer is on its way.
  const isBehind = (number: number) => number < head() - staleBlocks - Math.ceil(500 / blockTimeMs);
  const isSlow = ({ latencyMs }: Endpoint) => {
    const best = Math.min(...endpoints.map((endpoint) => endpoint.latencyMs ?? Number.POSITIVE_INFINITY));
    return latencyMs !== null && latencyMs > 100 + 3 * best;
  };

  /** 0 for one that is well. */
  const rank = (endpoint: Endpoint) =>
    (endpoint.retryAt > now() ? 8 : 0) +
    (endpoint.isStale ? 4 : 0) +
    (endpoint.faults > 0 ? 2 : 0) +
    (isSlow(endpoint) ? 1 : 0);

  /** The best first; those in trouble come last but are not left out, since the others may fail as well. */
  function byRank(): Endpoint[] {
    const usable = endpoints.filter((endpoint) => !endpoint.isWrongChain || endpoint.retryAt <= now());
    return usable.sort((x, y) => rank(x) - rank(y));
  }

  async function send<T>(
    endpoint: Endpoint,
    calls: readonly RpcCall[],
    accept: Accept<T>,
    longMs?: number,
  ): Promise<T> {
    const start = now();
    const mustCheck = identity !== undefined && start >= endpoint.checkedAt + recheckMs;
    const sent = mustCheck ? [...calls, identity.call] : calls;
    for (const { method } of sent) onCall(method);
    const askedAt = performance.now();
    try {
      const replies = await endpoint.rpc.batch(sent, longMs ?? timeoutMs);
      if (mustCheck) checkChain(endpoint, itemAt(replies, calls.length), start);
      const result = await accept(mustCheck ? replies.slice(0, -1) : replies, (has) => {
        endpoint.head = Math.max(endpoint.head ?? 0, has);
        if (!isBehind(has)) endpoint.isStale = false;
      });
      if (longMs === undefined) recordLatency(endpoint, now() - start);
      if (endpoint.wrongAt.every((wrong) => calls.some(({ method }) => method === wrong))) {
        endpoint.faults = 0;
        endpoint.retryAt = 0;
        endpoint.wrongAt = [];
      }
      return result;
    } catch (thrown) {
      const error = isOfForm(thrown)
        ? new WrongForm(`its answer has another form: ${messageOf(thrown)}`)
        : thrown;
      if (!(error instanceof NotAvailableYet)) recordFault(endpoint, error, calls);
      else if (error.number !== undefined) recordMissingBlock(endpoint, error.number);
      const isStubborn = error instanceof InvalidResponse && !(error instanceof NodeRefusal);
      if (error instanceof WrongForm || (isStubborn && endpoint.faults > maxContradictions))
        endpoint.rpc.blame(error.message, askedAt);
      throw error;
    }
  }

  /** It is not as far as it may have said. */
  function recordMissingBlock(endpoint: Endpoint, number: number): void {
    if (endpoint.head !== null) endpoint.head = Math.min(endpoint.head, number - 1);
    if (isBehind(number)) endpoint.isStale = true;
  }

  function recordLatency(endpoint: Endpoint, ms: number): void {
    endpoint.latencyMs = endpoint.latencyMs === null ? ms : endpoint.latencyMs * 0.8 + ms * 0.2;
  }

  function checkChain(endpoint: Endpoint, reply: RpcReply, time: number): void {
    if ('error' in reply) throw new RpcFailure(`it does not report its chain: ${reply.error.message}`);
    const fault = identity?.faultOf(reply.result);
    endpoint.isWrongChain = fault !== undefined;
    if (fault !== undefined) throw new RpcFailure(fault);
    endpoint.checkedAt = time;
  }

  function recordFault(endpoint: Endpoint, error: unknown, calls: readonly RpcCall[]): void {
    if (!(error instanceof RpcFailure)) endpoint.wrongAt = calls.map(({ method }) => method);
    endpoint.faults++;
    endpoint.lastFault = cutText(messageOf(error), maxFaultLength);
    endpoint.lastFaultAt = now();
    endpoint.retryAt = now() + Math.min(30_000, 250 * 2 ** Math.min(endpoint.faults, 8));
  }

  async function request<T>(calls: readonly RpcCall[], accept: Accept<T>, longMs?: number): Promise<T> {
    const order = byRank();
    if (order.length === 0) throw new EndpointsFailed(endpoints.map(describe));
    const outcome = await requestInTurn(order, (endpoint) => send(endpoint, calls, accept, longMs), {
      patienceMs: ({ latencyMs }) => longMs ?? Math.min(2000, Math.max(300, 4 * (latencyMs ?? 100))),
      // Unhealthy endpoints are not needed to confirm that a block does not exist yet.
      isSettled: (error, endpoint, rest) =>
        error instanceof NotAvailableYet &&
        error.number !== undefined &&
        rank(endpoint) === 0 &&
        rest.every((candidate) => rank(candidate) > 0),
      isAnswer: (error) => error instanceof NotAvailableYet,
      // An endpoint that is overtaken is used later next time, long before it counts as failing.
      overtaken: recordLatency,
    });
    if ('value' in outcome) return outcome.value;
    // One "not yet" is enough: the chain has not reached the block.
    const notYet = outcome.faults.find((fault) => fault instanceof NotAvailableYet);
    throw notYet ?? new EndpointsFailed(order.map(describe), outcome.faults);
  }

  async function onEach<T>(work: (request: Endpoints['request']) => Promise<T>): Promise<T[]> {
    const asked = [...endpoints];
    const outcomes = await Promise.allSettled(
      asked.map((endpoint) => work((calls, accept, longMs) => send(endpoint, calls, accept, longMs))),
    );
    const answers: T[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') answers.push(outcome.value);
      else if (!(outcome.reason instanceof RpcFailure)) throw outcome.reason;
    }
    if (answers.length === 0) throw new EndpointsFailed(asked.map(describe));
    return answers;
  }

  async function sendToAll<T>(calls: readonly RpcCall[], accept: Accept<T>): Promise<T[]> {
    const asked = byRank();
    const answers: T[] = [];
    const sent = asked.map(async (endpoint) => {
      answers.push(await send(endpoint, calls, accept));
    });
    const all = Promise.allSettled(sent);
    await Promise.any(sent).catch((error: AggregateError) => {
      throw new EndpointsFailed(endpoints.map(describe), error.errors);
    });
    await settleWithin(lateMs, all, () => undefined);
    return [...answers];
  }

  /** A healthy endpoint is only asked how far it is; one in trouble must show that it is right again. */
  async function checkAll(which: 'all' | 'troubled', trial: Trial): Promise<void> {
    if (endpoints.length < 2) return;
    const isUnhealthy = (endpoint: Endpoint) =>
      endpoint.faults > 0 || endpoint.isWrongChain || endpoint.isStale;
    const due = endpoints.filter(
      (endpoint) => endpoint.retryAt <= now() && (which === 'all' || isUnhealthy(endpoint)),
    );
    await Promise.allSettled(
      due.map((endpoint) => {
        const calls = endpoint.faults > 0 ? trial.calls : [];
        return send(endpoint, [newest.call, ...calls], async ([reply, ...replies]) => {
          const number = reply && 'result' in reply ? newest.read(reply.result) : Number.NaN;
          if (!Number.isSafeInteger(number)) throw new InvalidResponse('it does not report its newest block');
          endpoint.head = number;
          if (calls.length > 0) await trial.accept(replies);
        });
      }),
    );
    for (const endpoint of due) endpoint.isStale = endpoint.head !== null && isBehind(endpoint.head);
  }

  const describe = (endpoint: Endpoint) => `${endpoint.rpc.name}: ${endpoint.lastFault ?? 'no fault'}`;

  return {
    request,
    onEach,
    sendToAll,
    head,
    checkAll,
    health: () =>
      endpoints.map((endpoint) => ({
        endpoint: endpoint.rpc.name,
        state: endpoint.isWrongChain
          ? 'wrong-chain'
          : endpoint.faults > 0
            ? 'failing'
            : endpoint.isStale
              ? 'stale'
              : 'ok',
        head: endpoint.head,
        latencyMs: endpoint.latencyMs === null ? null : Math.round(endpoint.latencyMs),
        faults: endpoint.faults,
        lastFault: endpoint.lastFault,
        lastFaultAt: endpoint.lastFaultAt,
      })),
    setUrls(next) {
      const former = endpoints;
      endpoints = next.map(
        (url) => former.find((endpoint) => endpoint.url === url) ?? createEndpoint(url, connect),
      );
      for (const endpoint of former) if (!endpoints.includes(endpoint)) retire(endpoint.rpc);
    },
    close: async () => {
      await Promise.all([...endpoints.map(({ rpc }) => rpc), ...retired].map((rpc) => rpc.close()));
    },
  };

  function retire(rpc: Rpc): void {
    retired.add(rpc);
    setTimeout(() => {
      retired.delete(rpc);
      void rpc.close();
    }, timeoutMs).unref();
  }
}

/** Errors thrown by reading a value of an unexpected form. */
function isOfForm(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}

function createEndpoint(url: string, connect: (url: string) => Rpc): Endpoint {
  return {
    url,
    rpc: connect(url),
    isWrongChain: false,
    isStale: false,
    checkedAt: 0,
    faults: 0,
    lastFault: null,
    lastFaultAt: null,
    wrongAt: [],
    retryAt: 0,
    latencyMs: null,
    head: null,
  };
}

export class EndpointsFailed extends Error {
  override readonly name = 'EndpointsFailed';
  readonly faults: readonly unknown[];

  constructor(reasons: readonly string[], faults: readonly unknown[] = []) {
    super(
      reasons.length > 0
        ? `No endpoint of the chain answers. ${reasons.join('; ')}`
        : 'The chain has no endpoint that takes calls; give one that begins with http:// or https://.',
    );
    this.faults = faults;
  }
}
