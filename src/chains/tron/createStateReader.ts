import { zip } from '../../lib/zip.ts';
import type { BlockRef } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import { isolateFailures } from '../evm/isolateFailures.ts';
import { revertReason } from '../evm/toRevert.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { post } from '../net/createRest.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { listOf, numberOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';
import { amountOf } from './amountOf.ts';
import { decodeReceipt } from './decodeBlock.ts';
import { toNodeAddress } from './tronAddress.ts';
import { isEmpty } from './tronProtocol.ts';
import { resources } from './tronRules.ts';

const nowhere = `0x${'0'.repeat(40)}`;

/** Answers questions about the state. Nodes know the newest only, which stands for that after any block. */
export function createStateReader(endpoints: Endpoints, now: () => number): ChainClient['readState'] {
  return isolateFailures(
    (block, questions) =>
      endpoints.request(questions.map(toCall), (replies) =>
        zip(questions, replies).map(([question, reply]) => toResult(block, question, reply)),
      ),
    now,
  );
}

function toCall(question: StateRead): RpcCall {
  switch (question.type) {
    case 'call':
      return runCall({ from: nowhere, value: 0, ...question });
    case 'replay':
      return runCall({ ...question, value: Number(question.value) });
    case 'balance':
      return post('/wallet/getaccount', { address: toNodeAddress(question.address) });
    case 'holding': {
      const address = toNodeAddress(question.holder);
      const path = resources.includes(question.asset) ? '/wallet/getaccountresource' : '/wallet/getaccount';
      return post(path, { address });
    }
    case 'supply':
    case 'decimals':
    case 'symbol':
      return post('/wallet/getassetissuebyid', { value: question.asset });
    case 'code':
      return post('/wallet/getcontractinfo', { value: toNodeAddress(question.address) });
    case 'storage':
      return post('/jsonrpc', {
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getStorageAt',
        params: [question.address, question.key, 'latest'],
      });
    case 'receipt':
    case 'trace':
      return post('/wallet/gettransactioninfobyid', { value: question.hash });
  }
}

type Run = { from: string; to: string; data: string; value: number };

export function runCall({ from, to, data, value }: Run): RpcCall {
  return post('/wallet/triggerconstantcontract', {
    owner_address: toNodeAddress(from),
    contract_address: toNodeAddress(to),
    data: data.slice(2),
    call_value: value,
  });
}

/** Decodes the reply to a read; never throws, because one bad reply must not cost the others. */
function toResult(block: BlockRef, question: StateRead, reply: RpcReply): StateResult {
  if (question.type === 'trace') return { value: { calls: null } };
  if ('error' in reply) return question.type === 'storage' ? noStorage : { missing: reply.error.message };
  try {
    return read(block, question, reply.result);
  } catch (error) {
    if (!(error instanceof InvalidResponse)) throw error;
    return { missing: `the ${question.type} that the node sent cannot be read: ${error.message}` };
  }
}

function read(
  block: BlockRef,
  question: Exclude<StateRead, { type: 'trace' }>,
  result: unknown,
): StateResult {
  if (question.type === 'storage') return readStorage(result);
  if (result === null) return { missing: `the node has no ${question.type}` };
  const answer = recordOf(result);
  switch (question.type) {
    case 'call':
    case 'replay':
      return { value: toCallResult(readRun(answer)) };
    case 'balance':
      return { value: amountOf(answer.balance) };
    case 'holding':
      return { value: readHolding(answer, question.asset) };
    case 'supply':
      return { value: amountOf(answer.total_supply) };
    case 'decimals':
      return { value: numberOf(answer.precision ?? 0, 'precision') };
    case 'symbol':
      return { value: Buffer.from(textOf(answer.abbr ?? '', 'abbr'), 'hex').toString() };
    case 'code':
      return { value: `0x${textOf(answer.runtimecode ?? '', 'runtimecode')}` };
    case 'receipt':
      if (isEmpty(answer) || answer.blockNumber !== block.number)
        return { missing: 'the node has no receipt there' };
      return { value: decodeReceipt(answer) };
  }
}

/** Only some nodes serve JSON-RPC beside their own API, and no other part of it knows storage. */
function readStorage(result: unknown): StateResult {
  const word = result === null ? undefined : recordOf(result).result;
  return typeof word === 'string' ? { value: word } : noStorage;
}

const noStorage: StateResult = { missing: 'the node does not tell the storage of contracts', isGone: true };

function readHolding(answer: Raw, asset: string): bigint {
  const number = (member: string) => amountOf(answer[member]);
  const left = (limit: bigint, used: bigint) => (limit > used ? limit - used : 0n);
  if (asset === 'energy') return left(number('EnergyLimit'), number('EnergyUsed'));
  if (asset === 'bandwidth')
    return left(number('NetLimit'), number('NetUsed')) + left(number('freeNetLimit'), number('freeNetUsed'));
  const assets = listOf(answer.assetV2 ?? [], 'assetV2').map(recordOf);
  return amountOf(assets.find(({ key }) => key === asset)?.value);
}

function toCallResult(run: ReturnType<typeof readRun>) {
  return 'failure' in run ? { failure: run.failure } : run;
}

/** Result of a call. A call of an address without code does nothing, as on the EVM. */
export function readRun(answer: Raw): { data: string } | { failure: string; data: string } {
  const { code, message } = recordOf(answer.result ?? {});
  const words = typeof message === 'string' ? Buffer.from(message, 'hex').toString() : '';
  const data = `0x${textOf(listOf(answer.constant_result ?? [''], 'constant_result')[0], 'constant_result')}`;
  if (code === 'CONTRACT_VALIDATE_ERROR' && /not exist/i.test(words)) return { data: '0x' };
  if (code !== undefined && code !== 'SUCCESS' && answer.constant_result === undefined)
    throw new InvalidResponse(words || 'the call was refused');
  return hasFailed(answer, message) ? { failure: revertReason(data, words || undefined), data } : { data };
}

function hasFailed({ transaction }: Raw, message: unknown): boolean {
  const [outcome] = listOf(recordOf(transaction ?? {}).ret ?? [{}], 'ret');
  return message !== undefined || recordOf(outcome).ret === 'FAILED';
}
