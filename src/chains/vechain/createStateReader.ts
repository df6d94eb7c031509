import { zip } from '../../lib/zip.ts';
import type { BlockRef } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import { createPatientReader, isMissing, mergeAnswers } from '../createPatientReader.ts';
import { isolateFailures } from '../evm/isolateFailures.ts';
import { revertReason } from '../evm/toRevert.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { get, post } from '../net/createRest.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { listOf, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse, NotAvailableYet, resultOf } from '../net/replies.ts';
import { decodeHeader, decodeReceipt } from './decodeBlock.ts';
import { blockCall } from './vechainProtocol.ts';

type ContractCall = Extract<StateRead, { type: 'call' }>;
type Single = Extract<StateRead, { type: 'replay' | 'balance' | 'code' | 'storage' | 'receipt' }>;
/** A request, the questions that it is about, and their answers; undefined for what it does not answer. */
type Ask = {
  readonly call: RpcCall;
  readonly questions: readonly StateRead[];
  read(reply: RpcReply): (StateResult | undefined)[];
};

/** More calls in one request would run into the limit that nodes have for all that it returns. */
const maxTogether = 50;

/** Answers questions about the state after a block: calls of contracts in one request, all else side by side. */
export function createStateReader(endpoints: Endpoints, now: () => number): ChainClient['readState'] {
  return createPatientReader({
    endpoints,
    readAll: isolateFailures(readAll, now),
    blockCall,
    readHash: (reply) => {
      const raw = resultOf(reply);
      return raw === null ? null : decodeHeader(raw).hash;
    },
  });

  async function readAll(block: BlockRef, questions: readonly StateRead[]): Promise<StateResult[]> {
    const calls = questions.filter((question) => question.type === 'call');
    const groups = Array.from({ length: Math.ceil(calls.length / maxTogether) }, (_, n) =>
      calls.slice(n * maxTogether, (n + 1) * maxTogether),
    );
    const answers = await readFromAny([
      ...groups.map((group) => askTogether(block, group)),
      ...questions.flatMap((question) => (isAskedAlone(question) ? [askAlone(block, question)] : [])),
    ]);
    const left = calls.filter((call) => !answers.has(call));
    const rest = await readFromAny(left.map((call) => askAlone(block, call)));
    return questions.map((question) => answers.get(question) ?? rest.get(question) ?? notAsked(question));
  }

  /** A node may lack the block or its state; what none of them has is said to be missing. */
  async function readFromAny(asks: readonly Ask[]): Promise<ReadonlyMap<StateRead, StateResult>> {
    if (asks.length === 0) return new Map();
    const questions = asks.flatMap((ask) => ask.questions);
    const given: StateResult[][] = [];
    const calls = asks.map(({ call }) => call);
    const merged = await endpoints
      .request(calls, (replies) => {
        const read = zip(asks, replies).flatMap(([ask, reply]) => ask.read(reply));
        given.push(read.map((answer) => answer ?? unanswered));
        const answers = mergeAnswers(given, false);
        if (answers.some((answer) => isMissing(answer) && answer !== unanswered)) throw new NotAvailableYet();
        return answers;
      })
      .catch((error: unknown) => {
        if (given.length === 0 || !(error instanceof NotAvailableYet)) throw error;
        return mergeAnswers(given, given.length === endpoints.health().length);
      });
    return new Map(zip(questions, merged).filter(([, answer]) => answer !== unanswered));
  }
}

const unanswered: StateResult = { missing: 'it was not run' };

/**
 * One request for several calls, which run in order under one gas limit. The first failure ends it; that call and those
 * behind it are asked alone, because the shared run may cause it.
 */
function askTogether(block: BlockRef, questions: readonly ContractCall[]): Ask {
  return {
    questions,
    call: runCall(
      block,
      questions.map(({ to, data }) => ({ to, value: '0x0', data })),
    ),
    read(reply) {
      const results = 'error' in reply || reply.result === null ? [] : listOf(reply.result, 'results');
      const answers = results.map(toCallResult);
      const failed = answers.findIndex(({ value }) => 'failure' in value);
      const good = failed < 0 ? answers.length : failed;
      return questions.map((_, index) => (index < good ? answers[index] : undefined));
    },
  };
}

function isAskedAlone(question: StateRead): question is Single {
  return ['replay', 'balance', 'code', 'storage', 'receipt'].includes(question.type);
}

/** Nodes trace only where their operator allows it, and clause by clause; and all tokens are contracts. */
function notAsked({ type }: StateRead): StateResult {
  return type === 'trace'
    ? { value: { calls: null } }
    : { missing: `VeChain has no ${type} to read`, isGone: true };
}

function askAlone(block: BlockRef, question: Single | ContractCall): Ask {
  return {
    questions: [question],
    call: toCall(block, question),
    read: (reply) => [toResult(block, question, reply)],
  };
}

function runCall({ hash }: BlockRef, clauses: readonly object[], caller?: string): RpcCall {
  return post('/accounts', { clauses, ...(caller === undefined ? {} : { caller }) }, `/*?revision=${hash}`);
}

function toCall(block: BlockRef, question: Single | ContractCall): RpcCall {
  const revision = `?revision=${block.hash}`;
  switch (question.type) {
    case 'call':
      return runCall(block, [{ to: question.to, value: '0x0', data: question.data }]);
    case 'replay': {
      const { from, to, data, value } = question;
      return runCall(block, [{ to, value, data }], from);
    }
    case 'balance':
      return get('/accounts', `/${question.address}${revision}`);
    case 'code':
      return get('/accounts', `/${question.address}/code${revision}`);
    case 'storage':
      return get('/accounts', `/${question.address}/storage/${question.key}${revision}`);
    case 'receipt':
      return get('/transactions', `/${question.hash}/receipt`);
  }
}

/** Decodes the reply to a read; never throws, because one bad reply must not cost the others. */
function toResult(block: BlockRef, question: Single | ContractCall, reply: RpcReply): StateResult {
  if ('error' in reply) return { missing: reply.error.message };
  if (reply.result === null) return { missing: `the node has no ${question.type} there` };
  try {
    return { value: read(block, question, reply.result) };
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error;
    return { missing: `the ${question.type} that the node sent cannot be read: ${error.message}` };
  }
}

function read(
  block: BlockRef,
  question: Single | ContractCall,
  result: unknown,
): Extract<StateResult, { value: unknown }>['value'] {
  switch (question.type) {
    case 'call':
    case 'replay':
      return toCallResult(listOf(result, 'results')[0]).value;
    case 'balance':
      return BigInt(textOf(recordOf(result).balance, 'balance'));
    case 'code':
      return textOf(recordOf(result).code, 'code');
    case 'storage':
      return textOf(recordOf(result).value, 'value');
    case 'receipt':
      if (recordOf(recordOf(result).meta).blockID !== block.hash)
        throw new InvalidResponse('it is of another block');
      return decodeReceipt(result);
  }
}

function toCallResult(item: unknown) {
  const { data, reverted, vmError } = recordOf(item);
  const bytes = textOf(data, 'data');
  const failure = () => ({ failure: revertReason(bytes, typeof vmError === 'string' ? vmError : undefined) });
  return { value: reverted === true ? failure() : { data: bytes } };
}
