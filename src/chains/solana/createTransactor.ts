import { base58, base64 } from '@scure/base';
import { membersOf } from '../../lib/isRecord.ts';
import { zip } from '../../lib/zip.ts';
import { createBroadcast } from '../createBroadcast.ts';
import { createExpiryCheck } from '../createExpiryCheck.ts';
import { isBeyondLimit, type NamedPrices, priceOf, refuseForgotten } from '../namedPrices.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { amountOf, listOf, numberOf, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse, NotAvailableYet, resultOf } from '../net/replies.ts';
import type {
  Broadcast,
  ChainCall,
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
import { computeBudget } from './instructions.ts';
import { blockhashOf, encodeMessage, encodeTransaction, type Instruction } from './message.ts';
import { type SolanaCall, walletKey } from './solanaActions.ts';
import { confirmed } from './solanaProtocol.ts';

const signatureFee = 5000n;
/** Most units of a transaction, with which it is simulated. */
const maxUnits = 1_400_000n;
/** Beyond what the simulation took: the state may change until it runs. The last two bytes make equal calls differ. */
const spareUnits = 1000n;
const uniqueUnits = 65_536n;

export function createTransactor(
  endpoints: Pick<Endpoints, 'request' | 'onEach' | 'sendToAll'>,
  now: () => number,
): ExpiringTransactor {
  const { request } = endpoints;
  const simulation = (from: string, call: ChainCall): RpcCall => {
    const { bytes } = toMessage(from, call, base58.encode(new Uint8Array(32)), maxUnits, 0n);
    const raw = base64.encode(encodeTransaction([new Uint8Array(64)], bytes));
    const accounts = { encoding: 'base64', addresses: [from] };
    return {
      method: 'simulateTransaction',
      params: [
        raw,
        { ...confirmed, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true, accounts },
      ],
    };
  };
  const feesCall: RpcCall = { method: 'getRecentPrioritizationFees', params: [[]] };

  return {
    replaces: 'afterExpiry',
    async prepare(from, requests) {
      const foreign = requests.map((call) => foreignSigner(from, call));
      return request(
        [
          { method: 'getLatestBlockhash', params: [confirmed] },
          { method: 'getBalance', params: [from, confirmed] },
          feesCall,
          ...requests.map((call) => simulation(from, call)),
        ],
        ([latest, held, fees, ...simulated]) => {
          const { blockhash, lastValidBlockHeight } = recordOf(recordOf(resultOf(latest)).value);
          const anchor = `${textOf(blockhash, 'blockhash')} ${numberOf(lastValidBlockHeight, 'height')}`;
          const balance = amountOf(recordOf(resultOf(held)).value, 'balance');
          const market = readPrices(fees);
          const offers = zip(requests, simulated).map(([{ terms }, reply], index): Offer | Refusal => {
            const stranger = foreign[index];
            if (stranger !== undefined)
              return {
                reason: `${stranger} must sign as well, and Vigil has only the key of the wallet`,
                isFinal: true,
              };
            return toOffer(terms, market, reply, balance, anchor);
          });
          return { balance, offers };
        },
      );
    },
    build,
    broadcast: createBroadcast(
      endpoints,
      (raw) => ({
        method: 'sendTransaction',
        params: [raw, { encoding: 'base64', skipPreflight: true, preflightCommitment: 'confirmed' }],
      }),
      toBroadcast,
    ),
    progress: (sent) => readProgress(request, sent),
    findExpired: createExpiryCheck(endpoints, async (endpoint, sent) => {
      const progress = await readProgress(endpoint, sent);
      // Until when a blockhash is valid came from one node, and is not part of what was signed.
      const isValid = await endpoint(sent.map(validityCall), (replies) =>
        replies.map((reply) => recordOf(resultOf(reply)).value !== false),
      );
      return { ...progress, isValid };
    }),
    async checkTerms(terms) {
      const market = await request([feesCall], ([reply]) => readPrices(reply));
      const chosen = choosePrice(terms, market);
      return 'reason' in chosen ? chosen.reason : undefined;
    },
    findFailure: (from, call) =>
      request([simulation(from, call)], ([reply]) => failureOf(readSimulated(reply))),
  };

  async function readProgress(
    ask: Endpoints['request'],
    sent: readonly SentTransaction[],
  ): Promise<Progress> {
    refuseForgotten(sent, now());
    const { head, final, slots } = await ask(
      [
        { method: 'getBlockHeight', params: [{ commitment: 'finalized' }] },
        { method: 'getSlot', params: [confirmed] },
        {
          method: 'getSignatureStatuses',
          params: [sent.map(({ hash }) => hash), { searchTransactionHistory: true }],
        },
      ],
      ([height, slot, statuses]) => ({
        final: numberOf(resultOf(height), 'height'),
        head: numberOf(resultOf(slot), 'slot'),
        slots: listOf(recordOf(resultOf(statuses)).value, 'statuses').map((status) =>
          status === null || recordOf(status).confirmationStatus === 'processed'
            ? null
            : numberOf(recordOf(status).slot, 'slot'),
        ),
      }),
    );
    const mined = await Promise.all(
      zip(sent, slots).map(async ([{ hash }, slot]) => (slot === null ? null : readMined(ask, hash, slot))),
    );
    return { head, final, mined };
  }
}

/**
 * A node that does not have it yet, or has it in another slot, must not make it look as if it were in no block: once it has
 * expired another one would be signed.
 */
function readMined(request: Endpoints['request'], hash: string, slot: number): Promise<Mined> {
  const detail = { ...confirmed, encoding: 'json', maxSupportedTransactionVersion: 0 };
  return request(
    [
      { method: 'getTransaction', params: [hash, detail] },
      { method: 'getBlock', params: [slot, { ...detail, transactionDetails: 'none', rewards: false }] },
    ],
    ([transaction, block]) => {
      const sentResult = resultOf(transaction);
      const { meta, slot: at } = membersOf(sentResult);
      if (at !== slot) throw new NotAvailableYet(slot);
      const { err, preBalances, postBalances } = recordOf(meta);
      const [[before], [after]] = [listOf(preBalances, 'preBalances'), listOf(postBalances, 'postBalances')];
      const paid = amountOf(before, 'balance') - amountOf(after, 'balance');
      return {
        isSuccess: err === null,
        blockNumber: slot,
        blockHash: textOf(recordOf(resultOf(block)).blockhash, 'blockhash'),
        cost: paid > 0n ? paid : 0n,
      };
    },
  );
}

/** Asks if the blockhash of a transaction is still usable in the block after the newest. */
function validityCall({ raw }: SentTransaction): RpcCall {
  return {
    method: 'isBlockhashValid',
    params: [blockhashOf(base64.decode(raw)), { commitment: 'processed' }],
  };
}

/** Asks no node: the blockhash and until when it holds came with the offer. */
function build({ from, call, units, price, place: slot, unique }: Order): Unsigned {
  if (!('anchor' in slot)) throw new Error('A call on Solana names a recent blockhash.');
  const [blockhash = '', lastHeight] = slot.anchor.split(' ');
  const limit = units + (unique % uniqueUnits);
  const { bytes } = toMessage(from, call, blockhash, limit, price.maxFee);
  return {
    payloads: [bytes],
    finish([signature]) {
      if (!signature) throw new Error('There is no signature.');
      return {
        hash: base58.encode(signature.bytes),
        raw: base64.encode(encodeTransaction([signature.bytes], bytes)),
        validUntil: Number(lastHeight),
      };
    },
  };
}

function toMessage(from: string, { data }: ChainCall, blockhash: string, units: bigint, price: bigint) {
  return encodeMessage(from, blockhash, [...computeBudget(units, price), toInstruction(from, data)]);
}

function toInstruction(from: string, data: string): Instruction {
  const call = JSON.parse(data) as SolanaCall;
  return {
    program: call.program,
    accounts: call.accounts.map((account) => ({
      ...account,
      key: account.key === walletKey ? from : account.key,
    })),
    data: Buffer.from(call.data, 'hex'),
  };
}

function foreignSigner(from: string, { data }: ChainCall): string | undefined {
  return toInstruction(from, data).accounts.find(({ key, isSigner }) => isSigner && key !== from)?.key;
}

/** Micro-lamports that recent transactions paid for a unit. */
function readPrices(reply: RpcReply | undefined): NamedPrices {
  const paid = listOf(resultOf(reply), 'fees')
    .map((item) => BigInt(numberOf(recordOf(item).prioritizationFee, 'prioritizationFee')))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const quantile = (share: number) => paid[Math.min(paid.length - 1, Math.floor(share * paid.length))] ?? 0n;
  return { slow: quantile(0.25), market: quantile(0.5), fast: quantile(0.75), fastest: quantile(0.95) };
}

function choosePrice(terms: Terms, market: NamedPrices): { price: bigint } | { reason: string } {
  const price = priceOf(terms.price, market);
  if (!isBeyondLimit(price, terms)) return { price };
  return {
    reason: `the price of a compute unit is ${price} micro-lamports, more than the limit of ${terms.maxPrice}`,
  };
}

type Simulated = { error: unknown; logs: readonly unknown[]; units: bigint; after: bigint | undefined };

function readSimulated(reply: RpcReply | undefined): Simulated {
  const { err, logs, unitsConsumed, accounts } = recordOf(recordOf(resultOf(reply)).value);
  const [wallet]: unknown[] = Array.isArray(accounts) ? accounts : [];
  return {
    error: err,
    logs: listOf(logs ?? [], 'logs'),
    units: BigInt(numberOf(unitsConsumed ?? 0, 'unitsConsumed')),
    after:
      wallet === null || wallet === undefined ? undefined : amountOf(recordOf(wallet).lamports, 'lamports'),
  };
}

/** The last thing that a program said before it failed is the reason. */
function failureOf({ error, logs }: Simulated): Failure | undefined {
  if (error === null || error === undefined) return undefined;
  const said = logs.filter((line) => !/^Program \S+ (invoke|success|consumed)/.test(String(line)));
  return { reason: [...said.slice(-2).map(String), JSON.stringify(error)].join('; '), data: '' };
}

function toOffer(
  terms: Terms,
  market: NamedPrices,
  reply: RpcReply | undefined,
  balance: bigint,
  anchor: string,
): Offer | Refusal {
  const simulated = readSimulated(reply);
  const failure = failureOf(simulated);
  if (failure) return { failure };
  const needed = (simulated.units * 6n) / 5n + spareUnits;
  if (terms.limit !== null && needed > BigInt(terms.limit))
    return {
      reason: `it needs ${needed} compute units, more than the limit of ${terms.limit}`,
      isFinal: true,
      units: needed,
    };
  const chosen = choosePrice(terms, market);
  if ('reason' in chosen) return { reason: chosen.reason, isFinal: false };
  const fee = signatureFee + ((needed + uniqueUnits) * chosen.price) / 1_000_000n + 1n;
  // The simulation is without a price, but with the fee of the signature.
  const paid = simulated.after === undefined || simulated.after > balance ? 0n : balance - simulated.after;
  const cost = fee + paid;
  if (cost > balance)
    return { reason: 'the wallet does not have that much', isFinal: false, needsFunds: true };
  return { units: needed, price: { maxFee: chosen.price, tip: null }, cost, place: { anchor } };
}

/** Nodes agree on these cases and not on the words for them. */
function toBroadcast(reply: RpcReply): Broadcast {
  if ('result' in reply) return { outcome: 'accepted' };
  const { message } = reply.error;
  if (/already been processed|already processed/i.test(message)) return { outcome: 'accepted' };
  if (/blockhash not found|block height exceeded/i.test(message)) return { outcome: 'stale' };
  if (message === '') throw new InvalidResponse('it refused a transaction without a reason');
  return { outcome: 'refused', reason: message };
}
