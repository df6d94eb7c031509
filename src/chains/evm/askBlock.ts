import { setTimeout as sleep } from 'node:timers/promises';
import { decodeResult, encodeCall, parseFunction } from '../../lib/abi.ts';
import type { BlockRef } from '../../model/block.ts';
import type { Answer, Question } from '../../model/question.ts';
import { BlockGone, type ChainClient } from '../chainClient.ts';
import { BadAnswer, decodeReceipt } from './decodeBlock.ts';
import { type Endpoints, NotYet } from './endpoints.ts';
import { revertReason } from './revertReason.ts';
import type { RpcCall, RpcError, RpcReply } from './rpc.ts';
import { toHex } from './toHex.ts';

const aggregate = parseFunction(
  'aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[] results)',
);
/** Where the well-known contract stands on nearly every EVM chain. */
const multicall = '0xca11bde05977b3631167028862be2a173976ca11';
/** From this many calls on, one call to the contract is cheaper than each alone. */
const worthwhile = 4;
const callsAtOnce = 100;
/** A node that has just got a block may not have its receipts or its state at hand yet. */
const patience = [100, 300, 900];
const isLate = (answer: Answer) =>
  'missing' in answer && /not found|unknown block|has no/i.test(answer.missing);

/** Answers questions about the state after a block, in as few calls as possible. */
export function askBlock(endpoints: Endpoints): ChainClient['ask'] {
  let hasMulticall: boolean | undefined;
  // By hash, because by number another block might answer after a reorganisation; older nodes know numbers only.
  let byHash = true;

  return async (block, questions) => {
    for (const delayMs of patience) {
      const answers = await askAll(block, questions);
      if (!answers.some((answer) => 'missing' in answer)) return answers;
      await assertThere(block);
      if (!answers.some(isLate)) return answers;
      await sleep(delayMs);
    }
    return askAll(block, questions);
  };

  async function askAll(block: BlockRef, questions: readonly Question[]): Promise<Answer[]> {
    const answers = Array.from<Answer>({ length: questions.length });
    const places = questions.map((question, place) => ({ question, place }));
    const calls = places.filter(({ question }) => question.type === 'call');
    const receipts = places.filter(({ question }) => question.type === 'receipt');
    const together = calls.length >= worthwhile && (await knowsMulticall(block));
    const whole = receipts.length > 2 && (await blockReceipts(block, receipts, answers));
    const rest = places.filter(
      ({ question }) => !(together && question.type === 'call') && !(whole && question.type === 'receipt'),
    );
    await Promise.all([
      askEach(block, rest, answers),
      ...(together ? chunks(calls).map((chunk) => askTogether(block, chunk, answers)) : []),
    ]);
    return answers;
  }

  async function askEach(block: BlockRef, asked: readonly Asked[], answers: Answer[]): Promise<void> {
    if (asked.length === 0) return;
    const replies = await send(block, (at) => asked.map(({ question }) => toCall(question, at)));
    for (const [index, { question, place }] of asked.entries())
      answers[place] = toAnswer(block, question, replies[index]!);
  }

  async function askTogether(block: BlockRef, asked: readonly Asked[], answers: Answer[]): Promise<void> {
    const items = asked.flatMap(({ question }) =>
      question.type === 'call' ? [{ target: question.to, allowFailure: true, callData: question.data }] : [],
    );
    const data = encodeCall(aggregate, [items]);
    const [reply] = await send(block, (at) => [
      { method: 'eth_call', params: [{ to: multicall, data }, at] },
    ]);
    if (!reply || 'error' in reply || reply.result === '0x') {
      // The contract may be younger than the block, or all calls together too expensive.
      await askEach(block, asked, answers);
      return;
    }
    const [results] = decodeResult(aggregate, String(reply.result)) as [readonly Aggregated[]];
    for (const [index, { place }] of asked.entries()) {
      const { success, returnData } = results[index]!;
      answers[place] = { value: success ? { data: returnData } : { reverted: revertReason(returnData) } };
    }
  }

  async function blockReceipts(
    block: BlockRef,
    asked: readonly Asked[],
    answers: Answer[],
  ): Promise<boolean> {
    const [reply] = await endpoints.request(
      [{ method: 'eth_getBlockReceipts', params: [block.hash] }],
      (replies) => replies,
    );
    if (!reply || 'error' in reply || !Array.isArray(reply.result)) return false;
    const byTransaction = new Map(
      reply.result.map((raw: { transactionHash: string }) => [raw.transactionHash, raw]),
    );
    return asked.every(({ question, place }) => {
      const raw = question.type === 'receipt' ? byTransaction.get(question.hash) : undefined;
      if (raw) answers[place] = { value: decodeReceipt(raw) };
      return raw !== undefined;
    });
  }

  async function send(block: BlockRef, toCalls: (at: unknown) => RpcCall[]): Promise<readonly RpcReply[]> {
    const at = byHash ? { blockHash: block.hash } : `0x${block.number.toString(16)}`;
    const replies = await askAround(block, toCalls(at));
    const isUnknownForm = byHash && replies.some((reply) => 'error' in reply && reply.error.code === -32602);
    if (!isUnknownForm) return replies;
    byHash = false;
    return send(block, toCalls);
  }

  /** An endpoint may lack the block or its state, or find a call too long; what none of them can answer is not asked for ever. */
  async function askAround(block: BlockRef, calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
    const isUnanswered = (reply: RpcReply) =>
      'error' in reply ? !isRevert(reply.error) : reply.result === null || isOfAnother(block, reply.result);
    let best: readonly RpcReply[] | undefined;
    try {
      return await endpoints.request(calls, (replies) => {
        for (const reply of replies)
          if ('error' in reply && isRateLimit(reply.error)) throw new BadAnswer(reply.error.message);
        if (!replies.some(isUnanswered)) return replies;
        if (!best || best.filter(isUnanswered).length > replies.filter(isUnanswered).length) best = replies;
        throw new NotYet();
      });
    } catch (error) {
      if (best && error instanceof NotYet) return best;
      throw error;
    }
  }

  /** A node does not answer about a block that was reorganised away, which is nobody's fault. */
  async function assertThere(block: BlockRef): Promise<void> {
    const call = { method: 'eth_getBlockByNumber', params: [toHex(block.number), false] };
    const [reply] = await endpoints.request([call], (replies) => replies);
    const isThere = reply && 'result' in reply && !isOfAnother(block, reply.result) && reply.result !== null;
    if (!isThere)
      throw new BlockGone(`Block ${block.number} (${block.hash}) is not part of the chain any more.`);
  }

  async function knowsMulticall(block: BlockRef): Promise<boolean> {
    if (hasMulticall === undefined) {
      const [reply] = await send(block, (at) => [{ method: 'eth_getCode', params: [multicall, at] }]);
      hasMulticall = reply !== undefined && 'result' in reply && String(reply.result).length > 2;
    }
    return hasMulticall;
  }
}

type Asked = { question: Question; place: number };
type Aggregated = { success: boolean; returnData: string };

function chunks(items: readonly Asked[]): Asked[][] {
  return Array.from({ length: Math.ceil(items.length / callsAtOnce) }, (_, n) =>
    items.slice(n * callsAtOnce, (n + 1) * callsAtOnce),
  );
}

function toCall(question: Question, at: unknown): RpcCall {
  switch (question.type) {
    case 'call':
      return { method: 'eth_call', params: [{ to: question.to, data: question.data }, at] };
    case 'balance':
      return { method: 'eth_getBalance', params: [question.address, at] };
    case 'code':
      return { method: 'eth_getCode', params: [question.address, at] };
    case 'storage':
      return { method: 'eth_getStorageAt', params: [question.address, question.slot, at] };
    case 'receipt':
      return { method: 'eth_getTransactionReceipt', params: [question.hash] };
    case 'replay': {
      const { from, to, data, value } = question;
      return { method: 'eth_call', params: [{ from, to, data, value }, at] };
    }
  }
}

function toAnswer(block: BlockRef, question: Question, reply: RpcReply): Answer {
  if ('error' in reply) {
    const { error } = reply;
    // A replay that cannot be made tells nothing, which is no reason to fail.
    if (question.type === 'replay' && !isRevert(error)) return { value: { data: '0x' } };
    if ((question.type === 'call' || question.type === 'replay') && isRevert(error))
      return {
        value: { reverted: revertReason(typeof error.data === 'string' ? error.data : '0x', error.message) },
      };
    return { missing: error.message };
  }
  if (reply.result === null || isOfAnother(block, reply.result))
    return { missing: `the node has no ${question.type} there` };
  if (question.type === 'receipt') return { value: decodeReceipt(reply.result) };
  if (typeof reply.result !== 'string') throw new BadAnswer(`the ${question.type} is not a text`);
  switch (question.type) {
    case 'call':
    case 'replay':
      return { value: { data: reply.result } };
    case 'balance':
      return { value: BigInt(reply.result) };
    case 'code':
    case 'storage':
      return { value: reply.result };
  }
}

function isRevert({ code, message, data }: RpcError): boolean {
  return (
    code === 3 ||
    /revert|invalid opcode|out of gas|stack (under|over)flow/i.test(message) ||
    (typeof data === 'string' && data.length > 2)
  );
}

/** A receipt of the same transaction in another block, or another block itself. */
function isOfAnother(block: BlockRef, result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false;
  const hash = 'blockHash' in result ? result.blockHash : 'hash' in result ? result.hash : block.hash;
  return hash !== block.hash;
}

/** The same endpoint will answer later. */
function isRateLimit({ code, message }: RpcError): boolean {
  return code === -32005 || code === 429 || /rate limit|too many requests|temporarily/i.test(message);
}
