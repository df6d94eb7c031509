import { concatBytes } from '@noble/hashes/utils.js';
import { zip } from '../../lib/zip.ts';
import type { Chain } from '../chains.ts';
import { createBroadcast } from '../createBroadcast.ts';
import { createExpiryCheck } from '../createExpiryCheck.ts';
import type { Fees } from '../evm/chooseFees.ts';
import { checkMarketPrice, type Estimate, priceCall } from '../evm/priceCall.ts';
import { revertReason } from '../evm/toRevert.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { first, get, post } from '../net/createRest.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { listOf, numberOf, recordOf, textOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import type {
  Broadcast,
  ChainCall,
  ExpiringTransactor,
  Failure,
  Mined,
  Order,
  Progress,
  SentTransaction,
  Unsigned,
} from '../transactor.ts';
import { decodeHeader } from './decodeBlock.ts';
import { encodeTransaction } from './encodeTransaction.ts';
import { blockCall } from './vechainProtocol.ts';

/** For how many blocks (of ten seconds) a transaction may be taken into one. */
const expiration = 60;

/**
 * Sends calls to VeChain, one clause each, paid by the sender in VTHO. Transactions have no order: each names a block
 * and expires, and a second is signed only after that expiry is final.
 */
export function createTransactor(
  endpoints: Pick<Endpoints, 'request' | 'onEach' | 'sendToAll'>,
  chain: Chain,
): ExpiringTransactor {
  const { request } = endpoints;
  const feeCalls = [blockCall('best'), get('/fees', '/priority')];
  const run = (from: string, { to, data }: ChainCall, revision: string | number): RpcCall =>
    post('/accounts', { clauses: [{ to, value: '0x0', data }], caller: from }, `/*?revision=${revision}`);

  return {
    replaces: 'afterExpiry',
    prepare: (from, requests) =>
      request(
        [
          ...feeCalls,
          blockCall(0),
          get('/accounts', `/${from}`),
          ...requests.map((call) => run(from, call, 'best')),
        ],
        ([best, priority, genesis, account, ...results]) => {
          const fees = toFees(best, priority);
          const head = decodeHeader(resultOf(best));
          const chainTag = textOf(recordOf(resultOf(genesis)).id, 'id').slice(-2);
          const slot = { anchor: `${head.hash.slice(0, 18)} 0x${chainTag}` };
          const offers = zip(requests, results).map(([{ terms, data }, reply]) => {
            const offer = priceCall(chain, terms, toEstimate(reply, data), fees);
            return 'price' in offer ? { ...offer, place: slot } : offer;
          });
          return { balance: BigInt(textOf(recordOf(resultOf(account)).energy, 'energy')), offers };
        },
      ),
    build,
    broadcast: createBroadcast(endpoints, (raw) => post('/transactions', { raw }), toBroadcast),
    progress: (sent) => readProgress(request, sent),
    findExpired: createExpiryCheck(endpoints, readProgress),
    checkTerms: (terms) =>
      request(feeCalls, ([best, priority]) => checkMarketPrice(chain, terms, toFees(best, priority))),
    findFailure: (from, call, block) =>
      request([run(from, call, block)], ([reply]) => readRun(reply).failure),
  };
}

function readProgress(request: Endpoints['request'], sent: readonly SentTransaction[]): Promise<Progress> {
  return request(
    [
      first(blockCall('finalized')),
      ...sent.map(({ hash }) => get('/transactions', `/${hash}/receipt`)),
      blockCall('best'),
    ],
    (replies) => ({
      final: decodeHeader(resultOf(replies[0])).number,
      mined: replies.slice(1, -1).map(toMined),
      head: decodeHeader(resultOf(replies.at(-1))).number,
    }),
  );
}

function build({ from, call, units, price, place: slot, unique }: Order): Unsigned {
  if (!('anchor' in slot)) throw new Error('A transaction of VeChain names a block.');
  const [blockRef = '', chainTag = ''] = slot.anchor.split(' ');
  const encoded = encodeTransaction({
    chainTag: Number(chainTag),
    blockRef,
    expiration,
    clauses: [{ to: call.to, value: 0n, data: call.data }],
    maxPriorityFeePerGas: price.tip ?? 0n,
    maxFeePerGas: price.maxFee,
    gas: units,
    nonce: BigInt.asUintN(64, unique),
  });
  return {
    payloads: [encoded.payload],
    finish([signature]) {
      if (!signature) throw new Error('The signature of the transaction is missing.');
      const { id, raw } = encoded.finish(
        from,
        concatBytes(signature.bytes, Uint8Array.of(signature.yParity)),
      );
      return { hash: id, raw, validUntil: Number(blockRef.slice(0, 10)) + expiration };
    },
  };
}

/** Blocks take nearly any tip; what the node suggests is for the usual case. */
function toFees(best: RpcReply | undefined, priority: RpcReply | undefined): Fees {
  const baseFee = BigInt(textOf(recordOf(resultOf(best)).baseFeePerGas, 'baseFeePerGas'));
  const tip = BigInt(textOf(recordOf(resultOf(priority)).maxPriorityFeePerGas, 'maxPriorityFeePerGas'));
  return {
    baseFee,
    gasPrice: baseFee + tip,
    tips: { slow: tip, market: tip, fast: (tip * 3n) / 2n, fastest: tip * 2n },
  };
}

/** Base cost of a transaction and a clause, and extra gas that the machine may need before refunds. */
const baseGas = 5000n + 16_000n + 15_000n;

function toEstimate(reply: RpcReply, data: string): Estimate {
  const { failure, gasUsed } = readRun(reply);
  if (failure) return { failure };
  const bytes = Buffer.from(data.slice(2), 'hex');
  const zeros = bytes.filter((byte) => byte === 0).length;
  const dataGas = BigInt(zeros * 4 + (bytes.length - zeros) * 68);
  return { gas: baseGas + dataGas + gasUsed };
}

function readRun(reply: RpcReply | undefined): { failure?: Failure; gasUsed: bigint } {
  const { data, reverted, vmError, gasUsed } = recordOf(listOf(resultOf(reply), 'results')[0]);
  const used = BigInt(numberOf(gasUsed, 'gasUsed'));
  if (reverted !== true) return { gasUsed: used };
  const bytes = textOf(data, 'data');
  const reason = revertReason(bytes, typeof vmError === 'string' ? vmError : undefined);
  return { failure: { reason, data: bytes }, gasUsed: used };
}

function toBroadcast(reply: RpcReply): Broadcast {
  if ('result' in reply) return { outcome: 'accepted' };
  const { message } = reply.error;
  return /expired|known tx/i.test(message) ? { outcome: 'stale' } : { outcome: 'refused', reason: message };
}

function toMined(reply: RpcReply): Mined | null {
  const raw = resultOf(reply);
  if (raw === null) return null;
  const { reverted, paid, meta } = recordOf(raw);
  const { blockNumber, blockID } = recordOf(meta);
  return {
    isSuccess: reverted !== true,
    blockNumber: numberOf(blockNumber, 'blockNumber'),
    blockHash: textOf(blockID, 'blockID'),
    cost: BigInt(textOf(paid, 'paid')),
  };
}
