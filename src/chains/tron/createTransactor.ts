import { concatBytes } from '@noble/hashes/utils.js';
import { zip } from '../../lib/zip.ts';
import type { Chain } from '../chains.ts';
import { createBroadcast } from '../createBroadcast.ts';
import { createExpiryCheck } from '../createExpiryCheck.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { first, post } from '../net/createRest.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { listOf, numberOf, recordOf } from '../net/members.ts';
import { NotAvailableYet, resultOf } from '../net/replies.ts';
import type {
  Broadcast,
  ExpiringTransactor,
  Failure,
  Mined,
  Offer,
  Order,
  Progress,
  Refusal,
  SentTransaction,
  Terms,
  Unsigned,
} from '../transactor.ts';
import { amountOf } from './amountOf.ts';
import { readRun, runCall } from './createStateReader.ts';
import { decodeHeader, decodeReceipt } from './decodeBlock.ts';
import { encodeTransaction } from './encodeTransaction.ts';
import { toNodeAddress } from './tronAddress.ts';
import { blockCall, isEmpty, readSolidNumber, solidCalls } from './tronProtocol.ts';
import { tronRules } from './tronRules.ts';

/** For how long a transaction may be taken into a block; a block is final after about a minute. */
const validMs = 120_000;
/** Bytes beside the data of a call, signature and all; each costs bandwidth, which is burnt where none is staked. */
const overheadBytes = 300n;
/** Energy beyond the estimate, in per cent: popular contracts cost more the more they are used. */
const marginPercent = 20n;
const maxEnergy = 10_000_000n;

/**
 * Sends calls to Tron. Transactions have no order: each names a recent block and expires, and a second is signed only
 * after a later final block. The network sets the price of energy.
 */
export function createTransactor(
  endpoints: Pick<Endpoints, 'request' | 'onEach' | 'sendToAll'>,
  chain: Chain,
): ExpiringTransactor {
  const { request } = endpoints;
  const canonical = (address: string) => {
    const read = tronRules.readAddress(address, chain);
    if ('fault' in read) throw new Error(read.fault);
    return read.canonical;
  };
  const parametersCall = post('/wallet/getchainparameters', {});

  return {
    replaces: 'afterExpiry',
    prepare(sender, requests) {
      const from = canonical(sender);
      return request(
        [
          parametersCall,
          blockCall(),
          post('/wallet/getaccount', { address: toNodeAddress(from) }),
          ...requests.map(({ to, data }) => runCall({ from, to: canonical(to), data, value: 0 })),
        ],
        ([parameters, newest, account, ...runs]) => {
          const prices = readPrices(parameters);
          const { hash, timestamp } = decodeHeader(resultOf(newest));
          const slot = { anchor: `${hash.slice(12, 16)} ${hash.slice(16, 32)} ${timestamp}` };
          const offers = zip(requests, runs).map(([{ terms, data }, reply]) => {
            const offer = priceCall(terms, data, toRun(reply), prices);
            return 'price' in offer ? { ...offer, place: slot } : offer;
          });
          return { balance: amountOf(recordOf(resultOf(account)).balance), offers };
        },
      );
    },
    build: (order) => build(order, canonical),
    broadcast: createBroadcast(
      endpoints,
      (raw) => post('/wallet/broadcasthex', { transaction: raw }),
      toBroadcast,
    ),
    progress: (sent) => readProgress(request, sent),
    findExpired: createExpiryCheck(endpoints, readProgress),
    checkTerms: async (terms) => {
      const prices = await request([parametersCall], ([reply]) => readPrices(reply));
      return priceFault(terms, prices.energy);
    },
    findFailure: (sender, { to, data }) =>
      request([runCall({ from: canonical(sender), to: canonical(to), data, value: 0 })], ([reply]) =>
        reply ? toRun(reply).failure : undefined,
      ),
  };
}

async function readProgress(
  request: Endpoints['request'],
  sent: readonly SentTransaction[],
): Promise<Progress> {
  const readHeader = (number: number) =>
    request([blockCall(number)], ([reply]) => decodeHeader(resultOf(reply)));
  const final = await readHeader(await request(solidCalls(), readSolidNumber));
  const { head, infos } = await request(
    [
      ...solidCalls().map(first),
      ...sent.map(({ hash }) => post('/wallet/gettransactioninfobyid', { value: hash })),
      blockCall(),
    ],
    (replies) => {
      // It must have had all blocks up to there before it was asked for the transactions.
      if (readSolidNumber(replies) < final.number) throw new NotAvailableYet();
      return {
        infos: replies.slice(2, -1).map(resultOf),
        head: decodeHeader(resultOf(replies.at(-1))).number,
      };
    },
  );
  const toMined = async (info: unknown): Promise<Mined | null> => {
    if (isEmpty(info)) return null;
    const raw = recordOf(info);
    const blockNumber = numberOf(raw.blockNumber, 'blockNumber');
    const { hash } = await readHeader(blockNumber);
    return { isSuccess: decodeReceipt(raw).isSuccess, blockNumber, blockHash: hash, cost: amountOf(raw.fee) };
  };
  return { head, mined: await Promise.all(infos.map(toMined)), final: final.timestamp };
}

function build(
  { from, call, units, price, place: slot, unique }: Order,
  canonical: (address: string) => string,
): Unsigned {
  if (!('anchor' in slot)) throw new Error('A transaction of Tron names a block.');
  const [refBlockBytes = '', refBlockHash = '', time = ''] = slot.anchor.split(' ');
  const expiration = Number(time) + validMs;
  const encoded = encodeTransaction({
    refBlockBytes,
    refBlockHash,
    expiration,
    // It means nothing to the network, and keeps equal calls apart.
    timestamp: Number(time) - 1 - Number(unique % 86_400_000n),
    contract: {
      type: 'TriggerSmartContract',
      owner: canonical(from),
      contract: canonical(call.to),
      value: 0n,
      data: call.data,
    },
    feeLimit: units * price.maxFee,
  });
  return {
    payloads: [encoded.payload],
    finish([signature]) {
      if (!signature) throw new Error('The signature of the transaction is missing.');
      const raw = encoded.finish(concatBytes(signature.bytes, Uint8Array.of(signature.yParity)));
      // No block after one of this time takes it, and such a block may still do so itself.
      return { hash: encoded.id, raw, validUntil: expiration - 1 };
    },
  };
}

type Prices = { energy: bigint; bandwidth: bigint };

/** Current price of the network in sun, for a unit of energy and a byte. */
function readPrices(reply: RpcReply | undefined): Prices {
  const listed = listOf(recordOf(resultOf(reply)).chainParameter, 'chainParameter').map(recordOf);
  const of = (key: string) => amountOf(listed.find((parameter) => parameter.key === key)?.value);
  return { energy: of('getEnergyFee'), bandwidth: of('getTransactionFee') };
}

type Run = { failure?: Failure; energy: bigint };

function toRun(reply: RpcReply): Run {
  const answer = recordOf(resultOf(reply));
  const energy = amountOf(answer.energy_used);
  const run = readRun(answer);
  return 'failure' in run ? { energy, failure: { reason: run.failure, data: run.data } } : { energy };
}

function priceCall(terms: Terms, data: string, { failure, energy }: Run, prices: Prices): Offer | Refusal {
  if (failure) return { failure };
  const reason = priceFault(terms, prices.energy);
  if (reason) return { reason, isFinal: false };
  const needed = (energy * (100n + marginPercent)) / 100n;
  const limit = terms.limit === null ? maxEnergy : BigInt(terms.limit);
  if (energy > limit)
    return { reason: `The call needs about ${energy} energy; at most ${limit} is allowed.`, isFinal: true };
  const units = terms.limit === null && needed < limit ? needed : limit;
  const bytes = overheadBytes + BigInt(data.length / 2 - 1);
  return {
    units,
    price: { maxFee: prices.energy, tip: null },
    cost: units * prices.energy + bytes * prices.bandwidth,
  };
}

/** The limit that the price of energy exceeds; the price is the same for everyone. */
function priceFault({ price, maxPrice }: Terms, energy: bigint): string | undefined {
  const limits = [maxPrice, /^\d/.test(price) ? price : null].flatMap((text) =>
    text === null ? [] : [Number(text)],
  );
  const lowest = Math.min(...limits);
  if (limits.length === 0 || Number(energy) <= lowest) return undefined;
  return `A unit of energy costs ${energy} sun, and at most ${lowest} sun may be paid.`;
}

function toBroadcast(reply: RpcReply): Broadcast {
  const { result, code, message } = recordOf(resultOf(reply));
  if (result === true || code === 'DUP_TRANSACTION_ERROR') return { outcome: 'accepted' };
  if (code === 'TRANSACTION_EXPIRATION_ERROR') return { outcome: 'stale' };
  const words = typeof message === 'string' ? Buffer.from(message, 'hex').toString() : '';
  return { outcome: 'refused', reason: [code, words].filter((part) => part).join(': ') };
}
