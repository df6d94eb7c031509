import { decodeResult, encodeCall, parseFunction } from '../../codecs/evm/abi.ts';
import { itemAt } from '../../lib/itemAt.ts';
import { zip } from '../../lib/zip.ts';
import type { BlockRef } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import { createPatientReader, isMissing, mergeAnswers } from '../createPatientReader.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { NotAvailableYet, resultOf } from '../net/replies.ts';
import { decodeHeader } from './decodeBlock.ts';
import { isLimit } from './isLimit.ts';
import { isolateFailures } from './isolateFailures.ts';
import { revertReason } from './toRevert.ts';
import { toHex, toRpcCall } from './toRpcCall.ts';
import { toStateResult } from './toStateResult.ts';

const aggregate = parseFunction(
  'aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[] results)',
);
const getBalance = parseFunction('getEthBalance(address)(uint256)');
/** Address of Multicall3 on nearly every EVM chain. */
const multicall = '0xca11bde05977b3631167028862be2a173976ca11';
/** From this many calls on, one call to the contract is cheaper than each alone. */
const multicallThreshold = 4;
const maxBatch = 100;
/** Answers questions about the state after a block, in as few calls as possible; with `isTracing` false no node is asked to trace. */
export function createStateReader(
  endpoints: Endpoints,
  now: () => number,
  isTracing = true,
): ChainClient['readState'] {
  let hasMulticall: boolean | undefined;
  // By hash, because by number another block might answer after a reorganisation; older nodes know numbers only.
  let byHash = true;

  const readEach = isolateFailures(readFromAny, now, isServing);

  return createPatientReader({
    endpoints,
    readAll,
    blockCall: (number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), false] }),
    readHash: (reply) => {
      const raw = resultOf(reply);
      return raw === null ? null : decodeHeader(raw).hash;
    },
  });

  async function readAll(block: BlockRef, questions: readonly StateRead[]): Promise<StateResult[]> {
    const answers = new Map<StateRead, StateResult>();
    const record = (reads: readonly StateRead[], results: readonly StateResult[]) => {
      for (const [n, result] of results.entries()) answers.set(itemAt(reads, n), result);
    };
    const calls = questions.filter((question) => question.type === 'call' || question.type === 'balance');
    const isTogether = calls.length >= multicallThreshold && (await knowsMulticall(block));
    const receipts = questions.filter((question) => question.type === 'receipt');
    record(receipts, receipts.length > 2 ? await blockReceipts(block, receipts) : []);
    const traces = isTracing ? [] : questions.filter((question) => question.type === 'trace');
    record(
      traces,
      traces.map(() => ({ value: { calls: null } })),
    );
    const rest = questions.filter(
      (question) =>
        !answers.has(question) && !(isTogether && (question.type === 'call' || question.type === 'balance')),
    );
    await Promise.all([
      ...chunks(rest).map(async (chunk) => record(chunk, await readEach(block, chunk))),
      ...(isTogether ? chunks(calls) : []).map(async (chunk) =>
        record(chunk, await readTogether(block, chunk)),
      ),
    ]);
    return questions.map((question) => {
      const answer = answers.get(question);
      if (!answer) throw new Error(`A read of type ${question.type} was not answered.`);
      return question.type === 'replay' ? toReplayResult(answer) : answer;
    });
  }

  /** An endpoint may lack the block or its state, or find a call too long; what none of them can answer is not retried forever. */
  async function readFromAny(block: BlockRef, questions: readonly StateRead[]): Promise<StateResult[]> {
    const isByHash = byHash;
    const at = isByHash ? { blockHash: block.hash } : toHex(block.number);
    const calls = questions.map((question) => toRpcCall(question, at));
    const given: StateResult[][] = [];
    let hasUnknownForm = false;
    try {
      return await endpoints.request(calls, (replies) => {
        const answers = zip(questions, replies).map(([question, reply]) =>
          isLimit(reply) ? limited : toStateResult(block, question, reply),
        );
        if (!answers.some(isMissing)) return answers;
        given.push(answers);
        hasUnknownForm ||= replies.some(isUnknownForm);
        const merged = mergeAnswers(given, false);
        if (!merged.some(isMissing)) return merged;
        throw new NotAvailableYet();
      });
    } catch (error) {
      if (given.length === 0 || !(error instanceof NotAvailableYet)) throw error;
      if (isByHash && hasUnknownForm) {
        byHash = false;
        return readFromAny(block, questions);
      }
      return mergeAnswers(given, given.length === endpoints.health().length);
    }
  }

  /** True if nodes answer questions that need no state. */
  function isServing({ number }: BlockRef): Promise<boolean> {
    return endpoints
      .request([{ method: 'eth_getBlockByNumber', params: [toHex(number), false] }], ([reply]) =>
        Boolean(resultOf(reply)),
      )
      .catch(() => false);
  }

  async function readTogether(block: BlockRef, questions: readonly CallQuestion[]): Promise<StateResult[]> {
    const items = questions.map((question) => ({
      target: question.type === 'call' ? question.to : multicall,
      allowFailure: true,
      callData: question.type === 'call' ? question.data : encodeCall(getBalance, [question.address]),
    }));
    const data = encodeCall(aggregate, [items]);
    const [answer] = await readEach(block, [{ type: 'call', to: multicall, data }]);
    // The contract may be younger than the block, or all calls together too expensive.
    return readAggregated(answer, questions) ?? readEach(block, questions);
  }

  /** Empty when the node does not return all of them this way. */
  async function blockReceipts(
    block: BlockRef,
    questions: readonly Extract<StateRead, { type: 'receipt' }>[],
  ): Promise<StateResult[]> {
    const call = { method: 'eth_getBlockReceipts', params: [block.hash] };
    // A node may fail at the receipts of a whole block and yet have those that are asked for.
    const receipts = await endpoints.request([call], receiptsOf).catch(() => new Map<unknown, unknown>());
    const answers = questions.map((question) =>
      toStateResult(block, question, { result: receipts.get(question.hash) ?? null }),
    );
    return answers.some(isMissing) ? [] : answers;
  }

  async function knowsMulticall(block: BlockRef): Promise<boolean> {
    if (hasMulticall === undefined) {
      const [answer] = await readEach(block, [{ type: 'code', address: multicall }]);
      if (answer && 'value' in answer) hasMulticall = answer.value !== '0x';
    }
    return hasMulticall === true;
  }
}

/** Reads that Multicall3 can answer. */
type CallQuestion = Extract<StateRead, { type: 'call' | 'balance' }>;
type Aggregated = { success: boolean; returnData: string };

/** A replay that cannot be made gives no reason, which is not a failure. */
function toReplayResult(answer: StateResult): StateResult {
  return 'missing' in answer ? { value: { data: '0x' } } : answer;
}

function chunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / maxBatch) }, (_, n) =>
    items.slice(n * maxBatch, (n + 1) * maxBatch),
  );
}

/** Undefined unless it answers every call. */
function readAggregated(
  answer: StateResult | undefined,
  questions: readonly CallQuestion[],
): StateResult[] | undefined {
  const value = answer && 'value' in answer ? answer.value : undefined;
  if (typeof value !== 'object' || !('data' in value)) return undefined;
  try {
    const [results] = decodeResult(aggregate, value.data) as [readonly Aggregated[]];
    if (results.length !== questions.length) return undefined;
    return results.map(({ success, returnData }, n) => {
      if (questions[n]!.type === 'balance') return { value: BigInt(returnData) };
      return { value: success ? { data: returnData } : { failure: revertReason(returnData) } };
    });
  } catch {
    return undefined;
  }
}

/** By the hash of their transactions. */
function receiptsOf([reply]: readonly RpcReply[]): ReadonlyMap<unknown, unknown> {
  const list: readonly unknown[] =
    reply && 'result' in reply && Array.isArray(reply.result) ? reply.result : [];
  return new Map(
    list.flatMap((raw) =>
      typeof raw === 'object' && raw !== null && 'transactionHash' in raw ? [[raw.transactionHash, raw]] : [],
    ),
  );
}

function isUnknownForm(reply: RpcReply): boolean {
  return 'error' in reply && reply.error.code === -32602;
}

/** A limit passes: it is not the state that is missing, and another read may not be limited. */
const limited: StateResult = { missing: 'nodes limit how often they are asked this' };
