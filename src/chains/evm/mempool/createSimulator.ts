import { functionSelector } from '../../../codecs/evm/abi.ts';
import { membersOf } from '../../../lib/isRecord.ts';
import type { Header } from '../../../model/block.ts';
import { coinChanges } from '../../../model/frames.ts';
import {
  type Mempool,
  type PendingTransaction,
  type Simulation,
  type SimulationKind,
  simulationKinds,
} from '../../../model/pending.ts';
import type { StateRead, StateResult } from '../../../model/stateRead.ts';
import { createRpc, type Rpc, type RpcCall, RpcFailure, type RpcReply } from '../../net/createRpc.ts';
import { isUnknownCall } from '../../net/isUnknownCall.ts';
import { NotAvailableYet } from '../../net/replies.ts';
import { requestInTurn } from '../../net/requestInTurn.ts';
import { pendingBlock } from '../decodeBlock.ts';
import { toRevert } from '../toRevert.ts';
import { toRpcCall } from '../toRpcCall.ts';
import { toStateResult } from '../toStateResult.ts';
import { decodeSimulatedCall, decodeTracedCall, type SimulatedRun } from './decodeSimulation.ts';
import {
  type BlockOverrides,
  feesOf,
  isFeeFault,
  type NextBlock,
  overridesOf,
  readNextBlock,
} from './nextBlock.ts';
import { callsOf, toSimulateCall } from './simulatedCalls.ts';

type Endpoint = {
  readonly url: string;
  readonly rpc: Rpc;
  /** Its way to run transactions; undefined until it was asked. */
  kind: SimulationKind | undefined;
  /** True if its traces had logs; until then it also simulates, if it can. */
  hasLogs: boolean;
  canSimulate: boolean;
  /** True if it runs transactions in blocks other than its newest. */
  canOverride: boolean;
  /** Read once for each block. */
  next: NextBlock | undefined;
  retryAt: number;
};

type Options = {
  chainUid: string;
  blockTimeMs: number;
  urls: readonly string[];
  now: () => number;
  onCall: (method: string) => void;
};

const timeoutMs = 3000;
const patienceMs = 300;
const retryMs = 2000;
const maxBatch = 100;

/** A node that keeps moving on is believed after so many tries. */
const maxTries = 3;

/**
 * Runs pending transactions in the next block, on the newest state of a node and with their own fees, over connections of its
 * own: it must not hold up blocks.
 */
export function createSimulator({ chainUid, blockTimeMs, urls, now, onCall }: Options) {
  const open = (url: string): Endpoint => ({
    url,
    rpc: createRpc(url),
    kind: undefined,
    hasLogs: false,
    canSimulate: true,
    canOverride: true,
    next: undefined,
    retryAt: 0,
  });
  let endpoints = urls.map(open);
  const rank = ({ kind, retryAt }: Endpoint) =>
    (retryAt > now() ? 8 : 0) + (kind === undefined ? 0 : simulationKinds.indexOf(kind));

  async function ask<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const order = endpoints.toSorted((a, b) => rank(a) - rank(b));
    const outcome = await requestInTurn(
      order,
      async (endpoint) => {
        try {
          return await work(endpoint);
        } catch (error) {
          if (!(error instanceof NotAvailableYet)) endpoint.retryAt = now() + retryMs;
          throw error;
        }
      },
      {
        patienceMs: () => patienceMs,
        isSettled: () => false,
        isAnswer: () => false,
        overtaken: (endpoint) => {
          endpoint.retryAt = now() + retryMs;
        },
      },
    );
    if ('value' in outcome) return outcome.value;
    throw outcome.faults[0] ?? new RpcFailure('the chain has no endpoint');
  }

  async function batch({ rpc }: Endpoint, calls: readonly RpcCall[]): Promise<RpcReply[]> {
    for (const { method } of calls) onCall(method);
    return rpc.batch(calls, timeoutMs);
  }

  async function simulateAt(
    endpoint: Endpoint,
    transaction: PendingTransaction,
    tip: Header,
  ): Promise<Simulation | null> {
    for (const kind of endpoint.kind ? [endpoint.kind] : simulationKinds) {
      const outcome = await runOnNewest(endpoint, kind, transaction, tip);
      if (outcome === 'used') return null;
      const { reply, second } = outcome;
      if (isUnknownCall(reply)) continue;
      endpoint.kind = kind;
      if (second && isUnknownCall(second)) endpoint.canSimulate = false;
      const run = decode(kind, transaction, reply);
      if (run.logs.length > 0) endpoint.hasLogs = true;
      else if (second && 'result' in second) run.logs = decode('simulate', transaction, second).logs;
      return toSimulation(kind, transaction, run, tip);
    }
    throw new RpcFailure('it runs no transactions');
  }

  /** Until the node has not moved on meanwhile, and with fees unless the account cannot pay them. */
  async function runOnNewest(
    endpoint: Endpoint,
    kind: SimulationKind,
    transaction: PendingTransaction,
    tip: Header,
  ): Promise<'used' | { reply: RpcReply; second: RpcReply | undefined }> {
    const head: RpcCall[] = [
      { method: 'eth_blockNumber', params: [] },
      { method: 'eth_getTransactionCount', params: [transaction.from, 'latest'] },
    ];
    const isBoth = kind === 'trace' && !endpoint.hasLogs && endpoint.canSimulate;
    const kinds = isBoth ? ([kind, 'simulate'] as const) : [kind];
    let pays = true;
    for (let tries = 1; ; tries++) {
      const next = await nextBlockOf(endpoint, tip);
      const overrides = next && overridesOf(next, blockTimeMs, now());
      const calls = kinds.map((type) => toCall(type, toRequest(transaction, pays), overrides));
      const [newest, count, reply, second] = await batch(endpoint, [...head, ...calls]);
      if (!newest || !count || !reply || 'error' in newest || 'error' in count)
        throw new RpcFailure('it does not report its newest block');
      if (Number(newest.result) < tip.number) throw new NotAvailableYet(tip.number);
      if (Number(count.result) > transaction.nonce) return 'used';
      if (tries >= maxTries) return { reply, second };
      if (next && Number(newest.result) !== next.parent) endpoint.next = undefined;
      else if (next && isRefusedForm(reply)) endpoint.canOverride = false;
      else if (pays && [reply, second].some((answer) => answer && isFeeFault(answer))) pays = false;
      else return { reply, second };
    }
  }

  /** Undefined where the node takes none. */
  async function nextBlockOf(endpoint: Endpoint, tip: Header): Promise<NextBlock | undefined> {
    if (!endpoint.canOverride) return undefined;
    if (!endpoint.next || endpoint.next.parent < tip.number)
      endpoint.next = await readNextBlock((calls) => batch(endpoint, calls), tip);
    return endpoint.next;
  }

  /** Calls are made after the transaction where the node simulates; balances follow from the coins that it moves. */
  async function readAfter(
    endpoint: Endpoint,
    transaction: PendingTransaction,
    { block, frames, ...rest }: Simulation,
    questions: readonly StateRead[],
  ): Promise<StateResult[]> {
    const called: readonly StateRead[] = endpoint.canSimulate ? questions.filter(isCalled) : [];
    const atNewest = questions.filter(
      (question) => question.type === 'balance' || (!endpoint.canSimulate && isOfFeed(question)),
    );
    const next = endpoint.canOverride ? endpoint.next : undefined;
    const overrides = next && overridesOf(next, blockTimeMs, now());
    const requests = called.map((question) => Object.values(toRpcCall(question, 'latest').params)[0]);
    const [simulated, ...replies] = await batch(endpoint, [
      toSimulateCall([toRequest(transaction, false), ...requests], false, 'latest', overrides),
      ...atNewest.map((question) => toRpcCall(question, 'latest')),
    ]);
    if (endpoint.canSimulate && simulated && isUnknownCall(simulated)) {
      endpoint.canSimulate = false;
      return readAfter(endpoint, transaction, { block, frames, ...rest }, questions);
    }
    const results = simulated && 'result' in simulated ? callsOf(simulated.result).slice(1) : [];
    const changes = coinChanges(frames);
    return questions.map((question): StateResult => {
      if (question.type === 'balance') {
        const reply = replies[atNewest.indexOf(question)];
        const before = reply ? toStateResult(block, question, reply) : { missing: 'a reply is missing' };
        if (!('value' in before) || typeof before.value !== 'bigint') return before;
        return { value: before.value + (changes.get(question.address) ?? 0n) };
      }
      if (question.type === 'trace') return { value: { calls: frames } };
      const reply = replies[atNewest.indexOf(question)];
      if (reply) return toStateResult(block, question, reply);
      const result = results[called.indexOf(question)];
      if (result === undefined) return { missing: 'no node says it of a pending transaction' };
      const { status, returnData = '0x' } = membersOf(result);
      const outcome =
        status === '0x1'
          ? { result: returnData }
          : { error: { code: 3, message: 'reverted', data: returnData } };
      return toStateResult(block, question, outcome);
    });
  }

  async function findVanished(hashes: readonly string[]): Promise<string[]> {
    const vanished: string[] = [];
    for (let at = 0; at < hashes.length; at += maxBatch) {
      const some = hashes.slice(at, at + maxBatch);
      const calls = some.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] }));
      const answers = await Promise.allSettled(endpoints.map((endpoint) => batch(endpoint, calls)));
      const replies = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      if (replies.length === 0) throw new RpcFailure('No endpoint of the chain answers.');
      const isMissing = (reply: RpcReply | undefined) => reply && 'result' in reply && reply.result === null;
      vanished.push(...some.filter((_, index) => replies.every((answers) => isMissing(answers[index]))));
    }
    return vanished;
  }

  function toSimulation(
    kind: SimulationKind,
    transaction: PendingTransaction,
    { isSuccess, logs, frames }: SimulatedRun,
    tip: Header,
  ): Simulation {
    const created = transaction.to === null ? frames[0]?.to : undefined;
    const outcome = { isSuccess, used: 0n, price: 0n, contractAddress: created || null };
    const block = pendingBlock(chainUid, tip, transaction.raw, logs, outcome, now());
    return { kind, isSuccess, block, frames };
  }

  return {
    simulate: (transaction, tip) => ask((endpoint) => simulateAt(endpoint, transaction, tip)),
    readAfter: (transaction, simulation, questions) =>
      ask((endpoint) => readAfter(endpoint, transaction, simulation, questions)),
    findVanished,
    simulations() {
      const offered = simulationKinds.filter((candidate) => endpoints.some(({ kind }) => kind === candidate));
      return offered.length > 0 ? offered : undefined;
    },
    setUrls(next: readonly string[]): void {
      const former = endpoints;
      endpoints = next.map((url) => former.find((endpoint) => endpoint.url === url) ?? open(url));
      for (const endpoint of former) if (!endpoints.includes(endpoint)) void endpoint.rpc.close();
    },
    close: async () => {
      await Promise.all(endpoints.map(({ rpc }) => rpc.close()));
    },
  } satisfies Omit<Mempool, 'subscribe'> & Record<string, unknown>;
}

type Request = ReturnType<typeof toRequest>;

function toCall(kind: SimulationKind, request: Request, overrides: BlockOverrides | undefined): RpcCall {
  if (kind === 'simulate') return toSimulateCall([request], true, 'latest', overrides);
  if (kind === 'call')
    return { method: 'eth_call', params: [request, 'latest', ...(overrides ? [{}, overrides] : [])] };
  const config = { tracer: 'callTracer', tracerConfig: { withLog: true }, timeout: '2s' };
  const blockOverrides = overrides && { blockOverrides: overrides };
  return { method: 'debug_traceCall', params: [request, 'latest', { ...config, ...blockOverrides }] };
}

function toRequest({ from, to, input, raw }: PendingTransaction, pays: boolean) {
  const { value, gas } = raw;
  return { from, ...(to === null ? {} : { to }), input, value, gas, ...(pays && feesOf(raw)) };
}

/** The node wants other parameters; what the call itself comes to has another code. */
function isRefusedForm(reply: RpcReply): boolean {
  return 'error' in reply && reply.error.code === -32602;
}

function decode(kind: SimulationKind, transaction: PendingTransaction, reply: RpcReply): SimulatedRun {
  if ('error' in reply) {
    if (toRevert(reply.error)) return { isSuccess: false, logs: [], frames: [] };
    throw new RpcFailure(reply.error.message);
  }
  if (kind === 'trace') return decodeTracedCall(transaction, reply.result);
  if (kind === 'simulate') return decodeSimulatedCall(transaction, callsOf(reply.result)[0]);
  return { isSuccess: true, logs: [], frames: [] };
}

function isCalled({ type }: StateRead): boolean {
  return type === 'call' || type === 'holding' || type === 'supply';
}

/** Facts of price feeds and tokens that transactions hardly ever change. */
const feedFunctions = ['latestRoundData()', 'latestAnswer()', 'decimals()', 'symbol()'].map(functionSelector);

function isOfFeed(question: StateRead): boolean {
  return question.type === 'call' && feedFunctions.includes(question.data.slice(0, 10).toLowerCase());
}
