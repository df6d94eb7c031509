import { membersOf } from '../../lib/isRecord.ts';
import { zip } from '../../lib/zip.ts';
import type { Chain } from '../chains.ts';
import { bestOf, createBroadcast } from '../createBroadcast.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { type RpcCall, type RpcError, RpcFailure, type RpcReply } from '../net/createRpc.ts';
import { InvalidResponse } from '../net/replies.ts';
import type { Broadcast, ChainCall, Failure, Mined, Transactor } from '../transactor.ts';
import { buildTransaction } from './buildTransaction.ts';
import type { Fees } from './chooseFees.ts';
import { checkMarketPrice, emptyCallGas, priceCall, priceEmptyCall, repriceCall } from './priceCall.ts';
import { toRevert } from './toRevert.ts';
import { toHex } from './toRpcCall.ts';

const feeCalls: readonly RpcCall[] = [
  { method: 'eth_gasPrice', params: [] },
  { method: 'eth_feeHistory', params: ['0x5', 'latest', [25, 50, 75, 95]] },
];
const receiptOf = ({ hash }: { hash: string }): RpcCall => ({
  method: 'eth_getTransactionReceipt',
  params: [hash],
});

type SendWidely = (raws: readonly string[]) => Promise<RpcReply[][]>;

export function createTransactor(endpoints: Endpoints, chain: Chain, sendWidely?: SendWidely): Transactor {
  const { request } = endpoints;
  const broadcast = createBroadcast(
    endpoints,
    (raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }),
    toBroadcast,
  );
  /** Fees, balance, nonce and estimates for calls of one account, read from one node at one moment. */
  const read = (from: string, calls: readonly ChainCall[]) =>
    request(
      [
        ...feeCalls,
        { method: 'eth_getBalance', params: [from, 'latest'] },
        { method: 'eth_getTransactionCount', params: [from, 'pending'] },
        ...calls.map(({ to, data }) => ({ method: 'eth_estimateGas', params: [{ from, to, data }] })),
      ],
      ([price, history, balance, count, ...estimates]) => ({
        fees: toFees(price, history),
        balance: toBigInt(balance, 'balance'),
        nextNonce: Number(toBigInt(count, 'transaction count')),
        estimates: estimates.map((reply) =>
          'error' in reply
            ? { failure: requireRevert(reply.error) }
            : { gas: toBigInt(reply, 'gas estimate') },
        ),
      }),
    );
  const readFees = () => request(feeCalls, ([price, history]) => toFees(price, history));

  return {
    replaces: 'samePlace',
    async prepare(from, requests) {
      const { fees, estimates, ...account } = await read(from, requests);
      const offers = zip(requests, estimates).map(([{ terms, ahead }, estimate]) =>
        priceCall(chain, terms, estimate, fees, ahead),
      );
      return { ...account, offers };
    },
    build: (order) => buildTransaction(chain, order),
    broadcast: async (raws, comesFirst = false) => {
      if (!comesFirst || !sendWidely) return broadcast(raws);
      const answers = await sendWidely(raws);
      return bestOf(
        raws,
        answers.map((replies) => replies.map(toBroadcast)),
      );
    },
    progress: (sent) =>
      request([{ method: 'eth_blockNumber', params: [] }, ...sent.map(receiptOf)], ([head, ...receipts]) => ({
        head: Number(toBigInt(head, 'newest block')),
        mined: receipts.map(toMined),
      })),
    checkTerms: async (terms) => checkMarketPrice(chain, terms, await readFees()),
    findFailure: (from, { to, data }, block) =>
      request([{ method: 'eth_call', params: [{ from, to, data }, toHex(block)] }], ([reply]) =>
        reply && 'error' in reply ? requireRevert(reply.error) : undefined,
      ),
    // It calls the account's own address without data.
    emptyCall: (from) => ({ to: from, data: '0x', units: emptyCallGas }),
    reprice: async (stuck) => repriceCall(chain, stuck, await readFees()),
    findPlace: (from, slot, block, sent) =>
      request(
        [{ method: 'eth_getTransactionCount', params: [from, toHex(block)] }, ...sent.map(receiptOf)],
        ([count, ...receipts]) => {
          const used = Number(toBigInt(count, 'transaction count'));
          if (receipts.some((reply) => toMined(reply) !== null)) return 'taken';
          if (!('nonce' in slot)) throw new Error('A call of an EVM chain has a nonce.');
          return used > slot.nonce ? 'lost' : used < slot.nonce ? 'blocked' : 'free';
        },
      ),
    lane: {
      async prepareFiller(from, maxPrice) {
        const { fees, balance, nextNonce } = await read(from, []);
        return { balance, nextNonce, offer: priceEmptyCall(chain, maxPrice, fees) };
      },
    },
  };
}

function toBigInt(reply: RpcReply | undefined, what: string): bigint {
  if (!reply || 'error' in reply)
    throw new InvalidResponse(
      `it does not report the ${what}: ${reply?.error.message ?? 'a reply is missing'}`,
    );
  if (typeof reply.result !== 'string') throw new InvalidResponse(`it sent a ${what} that is no number`);
  return BigInt(reply.result);
}

function toFees(price: RpcReply | undefined, history: RpcReply | undefined): Fees {
  const gasPrice = toBigInt(price, 'gas price');
  const known = history && 'result' in history ? readHistory(history.result) : undefined;
  const none = { slow: 0n, market: 0n, fast: 0n, fastest: 0n };
  return known ? { ...known, gasPrice } : { baseFee: null, gasPrice, tips: none };
}

/** The base fee of the next block and the middle tips of the last ones; undefined where the chain has no base fee. */
function readHistory(result: unknown): Pick<Fees, 'baseFee' | 'tips'> | undefined {
  const { baseFeePerGas, reward } = membersOf(result);
  const base: unknown = Array.isArray(baseFeePerGas) ? baseFeePerGas.at(-1) : undefined;
  if (typeof base !== 'string' || BigInt(base) === 0n) return undefined;
  const rows: readonly unknown[] = Array.isArray(reward) ? reward : [];
  const tip = (index: number) =>
    median(
      rows.flatMap((row) => {
        const paid: unknown = Array.isArray(row) ? row[index] : undefined;
        return typeof paid === 'string' && paid !== '' ? [BigInt(paid)] : [];
      }),
    );
  return { baseFee: BigInt(base), tips: { slow: tip(0), market: tip(1), fast: tip(2), fastest: tip(3) } };
}

function median(values: bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}

/** Errors that are not the call's own may vanish at another node or later, so they count as no answer. */
function requireRevert(error: RpcError): Failure {
  const why = toRevert(error);
  if (!why) throw new RpcFailure(error.message);
  return why;
}

/** Nodes agree on these cases and not on the words for them. */
function toBroadcast(reply: RpcReply): Broadcast {
  if ('result' in reply) return { outcome: 'accepted' };
  const { message } = reply.error;
  if (/already known|known transaction|already imported|alreadyknown|already exists/i.test(message))
    return { outcome: 'accepted' };
  if (/nonce.*too low|old nonce|invalid nonce|already (been )?used/i.test(message))
    return { outcome: 'stale' };
  if (/underpriced|too low to replace|replacement/i.test(message)) return { outcome: 'underpriced' };
  return { outcome: 'refused', reason: message };
}

type Receipt = {
  [Member in 'blockNumber' | 'blockHash' | 'gasUsed' | 'status' | 'effectiveGasPrice' | 'l1Fee']?: string;
};

function toMined(reply: RpcReply): Mined | null {
  if ('error' in reply) throw new InvalidResponse(`it does not report a receipt: ${reply.error.message}`);
  const receipt = reply.result as Receipt | null;
  if (!receipt?.blockNumber || !receipt.blockHash || !receipt.gasUsed) return null;
  return {
    isSuccess: receipt.status === '0x1',
    blockNumber: Number(receipt.blockNumber),
    blockHash: receipt.blockHash,
    // Rollups charge for their place on the chain below as well.
    cost: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice ?? 0) + BigInt(receipt.l1Fee ?? 0),
  };
}
