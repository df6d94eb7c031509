import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeStrkey } from '../../codecs/stellar/strkey.ts';
import { isRecord, membersOf } from '../../lib/isRecord.ts';
import { zip } from '../../lib/zip.ts';
import { createBroadcast } from '../createBroadcast.ts';
import { createExpiryCheck } from '../createExpiryCheck.ts';
import { isBeyondLimit, priceNames, refuseForgotten } from '../namedPrices.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { listOf, numberOf, recordOf, textOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import type {
  Broadcast,
  ChainCall,
  ExpiringTransactor,
  Mined,
  Offer,
  Order,
  Progress,
  Refusal,
  SentTransaction,
  Terms,
  Unsigned,
} from '../transactor.ts';
import { accountKey, checkOperation, keysOf } from './checkOperation.ts';
import { metaOf, readEnvelope, showFailure } from './decodeTransaction.ts';
import { amountOf, holdingsIn, readSteps } from './entries.ts';
import type { Network } from './network.ts';
import { keyText, readEntries } from './readEntries.ts';
import { simulationOf } from './simulate.ts';
import { decodeXdr, encodeXdr } from './xdr.ts';

/** For so many seconds after the newest ledger a transaction may be taken into one. */
const validSeconds = 60n;
/** The clock of a network is no further ahead of ours than this: a node that says so would make transactions valid for ever. */
const maxAheadSeconds = 7200;
const minFee = 100n;
const baseReserve = 5_000_000n;
/** The least time of a transaction is long past, and makes equal calls differ. */
const uniqueSeconds = 1_000_000_000n;

const feesCall: RpcCall = { method: 'getFeeStats', params: {} };
const transactionCall = (hash: string): RpcCall => ({ method: 'getTransaction', params: { hash } });
/** No transaction has it: the answer is about the newest ledger alone. */
const clockCall = transactionCall('0'.repeat(64));

/**
 * Input of `build`: the sequence number, the end of validity, and the resources that simulation found for a contract
 * call.
 */
type Anchor = { seq: string; maxTime: string; data?: string; auth?: readonly string[] };

/**
 * Sends the wallet's operations one by one. Transactions have a sequence number, which the ledger accepts once, and an
 * end of validity, after which they are never accepted.
 */
export function createTransactor(
  endpoints: Pick<Endpoints, 'request' | 'onEach' | 'sendToAll'>,
  network: Network,
  hashOfLedger: (number: number) => Promise<string>,
  now: () => number,
): ExpiringTransactor {
  const { request } = endpoints;
  /** Numbers that were signed here and may still be taken: accounts wait with one transaction at a time, but in order. */
  const signed = new Map<string, { seq: bigint; maxTime: bigint }>();

  async function prepare(from: string, requests: readonly (ChainCall & { terms: Terms })[]) {
    const bodies = requests.map((call) => toBody(from, call));
    const keys = [accountKey(from), ...bodies.flatMap((body) => keysOf(from, body))];
    const calls = bodies.filter(isContractCall);
    const [entries, read] = await Promise.all([
      readEntries(request, keys),
      request([feesCall, clockCall, ...calls.map((body) => simulationOf(from, [body]))], (replies) => {
        const [fees, clock, ...simulated] = replies;
        return {
          fees: recordOf(resultOf(fees)),
          closeTime: BigInt(closeTimeOf(recordOf(resultOf(clock)))),
          simulated: new Map(zip(calls, simulated.map(resultOf))),
        };
      }),
    ]);
    const find = (key: Readonly<Record<string, unknown>>) => entries.get(keyText(key)) ?? null;
    const account = find(accountKey(from))?.account;
    if (!isRecord(account)) {
      const reason = `The account ${from} does not exist: pay it some XLM first.`;
      return {
        balance: 0n,
        offers: requests.map((): Refusal => ({ reason, isFinal: false, needsFunds: true })),
      };
    }
    const balance = amountOf(account.balance);
    const spendable = balance - reserveOf(account);
    const last = signed.get(from);
    let seq = amountOf(account.seq_num);
    if (last && last.maxTime >= read.closeTime && last.seq > seq) seq = last.seq;
    const closeTime = Math.min(Number(read.closeTime), Math.floor(now() / 1000) + maxAheadSeconds);
    const maxTime = String(BigInt(closeTime) + validSeconds);
    const offers = zip(requests, bodies).map(([{ terms }, body]): Offer | Refusal => {
      const failed = checkOperation(from, body, find);
      if (failed !== undefined) return { failure: { reason: failed, data: '' } };
      const chosen = choosePrice(terms, read.fees, isContractCall(body));
      if ('reason' in chosen) return { reason: chosen.reason, isFinal: false };
      const resources = isContractCall(body)
        ? readSimulated(read.simulated.get(body), from)
        : { resourceFee: 0n };
      if ('failure' in resources || 'reason' in resources) return resources;
      const { resourceFee, ...extra } = resources;
      const cost = chosen.price + resourceFee + paidBy(body);
      if (cost > spendable)
        return {
          reason: `the wallet has ${balance} stroops, of which it must keep ${balance - spendable}`,
          isFinal: false,
          needsFunds: true,
        };
      seq += 1n;
      const anchor: Anchor = { seq: String(seq), maxTime, ...extra };
      const price = { maxFee: chosen.price, tip: null };
      return { units: 1n, price, cost, place: { anchor: JSON.stringify(anchor) } };
    });
    return { balance, spendable: spendable > 0n ? spendable : 0n, offers };
  }

  function build({ from, call, price, place: slot, unique }: Order): Unsigned {
    if (!('anchor' in slot)) throw new Error('A call on Stellar names a time.');
    const { seq, maxTime, data, auth } = JSON.parse(slot.anchor) as Anchor;
    const body = toBody(from, call);
    const resources = data === undefined ? undefined : recordOf(decodeXdr('SorobanTransactionData', data));
    const tx = {
      source_account: from,
      fee: Number(price.maxFee + amountOf(resources?.resource_fee ?? '0')),
      seq_num: seq,
      cond: { time: { min_time: String(unique % uniqueSeconds), max_time: maxTime } },
      memo: 'none',
      operations: [{ source_account: null, body: auth === undefined ? body : withAuth(body, auth) }],
      ext: resources === undefined ? 'v0' : { v1: resources },
    };
    const hash = network.hashOf({ tx });
    signed.set(from, { seq: BigInt(seq), maxTime: BigInt(maxTime) });
    return {
      payloads: [hash],
      finish([signature]) {
        if (!signature) throw new Error('There is no signature.');
        const hint = bytesToHex(decodeStrkey(from)!.payload.slice(-4));
        const signatures = [{ hint, signature: bytesToHex(signature.bytes) }];
        return {
          hash: bytesToHex(hash),
          raw: encodeXdr('TransactionEnvelope', { tx: { tx, signatures } }),
          validUntil: Number(maxTime),
        };
      },
    };
  }

  const sendToAll = createBroadcast(
    endpoints,
    (transaction) => ({ method: 'sendTransaction', params: { transaction } }),
    toBroadcast,
  );

  async function broadcast(raws: readonly string[]): Promise<Broadcast[]> {
    const outcomes = await sendToAll(raws);
    // Its number is not the next of the account: because it is in a ledger, or because another one comes first.
    const open = raws.filter((_, index) => outcomes[index]?.outcome !== 'accepted');
    if (open.length === 0) return outcomes;
    const taken = await request(
      open.map((raw) => transactionCall(hashIn(raw, network))),
      (replies) =>
        new Set(open.filter((_, index) => recordOf(resultOf(replies[index])).status !== 'NOT_FOUND')),
    );
    return zip(raws, outcomes).map(([raw, outcome]) => (taken.has(raw) ? { outcome: 'accepted' } : outcome));
  }

  async function readProgress(
    ask: Endpoints['request'],
    sent: readonly SentTransaction[],
  ): Promise<Progress> {
    refuseForgotten(sent, now());
    // Each answer says up to which ledger it holds; what all hold for is the least of them.
    const answers = await ask([clockCall, ...sent.map(({ hash }) => transactionCall(hash))], (replies) =>
      replies.map((reply) => recordOf(resultOf(reply))),
    );
    const mined = await Promise.all(
      zip(sent, answers.slice(1)).map(async ([{ from }, answer]): Promise<Mined | null> => {
        if (answer.status === 'NOT_FOUND') return null;
        const blockNumber = numberOf(answer.ledger, 'ledger');
        return {
          isSuccess: answer.status === 'SUCCESS',
          blockNumber,
          blockHash: await hashOfLedger(blockNumber),
          cost: costOf(answer, from, network),
        };
      }),
    );
    return {
      head: Math.min(...answers.map(({ latestLedger }) => numberOf(latestLedger, 'latestLedger'))),
      final: Math.min(...answers.map(closeTimeOf)),
      mined,
    };
  }

  return {
    replaces: 'afterExpiry',
    prepare,
    build,
    broadcast,
    progress: (sent) => readProgress(request, sent),
    findExpired: createExpiryCheck(endpoints, readProgress),
    checkTerms: (terms) =>
      request([feesCall], ([reply]) => {
        const chosen = choosePrice(terms, recordOf(resultOf(reply)), false);
        return 'reason' in chosen ? chosen.reason : undefined;
      }),
    async findFailure(from, call) {
      const { offers } = await prepare(from, [
        { ...call, terms: { price: 'market', limit: null, tip: null, maxPrice: null } },
      ]);
      const [offer] = offers;
      return offer && 'failure' in offer ? offer.failure : undefined;
    },
  };
}

/** The body of the operation, with the wallet in its place. */
function toBody(from: string, { data }: ChainCall): unknown {
  return JSON.parse(data, (name, value: unknown) =>
    name === 'address' && value === 'wallet' ? from : value,
  );
}

const isContractCall = (body: unknown) => membersOf(body).invoke_host_function !== undefined;

function withAuth(body: unknown, auth: readonly string[]): unknown {
  const { invoke_host_function: call } = membersOf(body);
  const entries = auth.map((entry) => decodeXdr('SorobanAuthorizationEntry', entry));
  return { invoke_host_function: { ...membersOf(call), auth: entries } };
}

/** Reserve of an account: for itself, for each of its entries, and for its offers. */
function reserveOf(account: Readonly<Record<string, unknown>>): bigint {
  const { v1 } = membersOf(account.ext);
  const { liabilities, ext } = membersOf(v1);
  const { num_sponsored: sponsored = 0, num_sponsoring: sponsoring = 0 } = membersOf(membersOf(ext).v2);
  const entries = 2 + Number(account.num_sub_entries) + Number(sponsoring) - Number(sponsored);
  return BigInt(entries) * baseReserve + amountOf(membersOf(liabilities).selling ?? '0');
}

/** XLM that the operation itself pays to others. */
function paidBy(body: unknown): bigint {
  const { asset, amount } = membersOf(membersOf(body).payment);
  return asset === 'native' ? amountOf(amount) : 0n;
}

/** Share of recent transactions that paid less. */
const shares = { slow: 'p20', market: 'p50', fast: 'p90', fastest: 'p99' } as const;

function choosePrice(
  terms: Terms,
  { inclusionFee, sorobanInclusionFee }: Readonly<Record<string, unknown>>,
  isCall: boolean,
): { price: bigint } | { reason: string } {
  const stats = recordOf(isCall ? sorobanInclusionFee : inclusionFee);
  const share = priceNames.find((name) => name === terms.price);
  const usual = share ? amountOf(stats[shares[share]]) : BigInt(terms.price);
  const price = usual < minFee ? minFee : usual;
  if (!isBeyondLimit(price, terms)) return { price };
  return { reason: `the fee of an operation is ${price} stroops, more than the limit of ${terms.maxPrice}` };
}

/** Resources of a contract call, or the reason not to make it. */
function readSimulated(
  result: unknown,
  from: string,
): { resourceFee: bigint; data: string; auth: readonly string[] } | Refusal {
  const { error, minResourceFee, transactionData, results, restorePreamble } = recordOf(result);
  if (typeof error === 'string') return { failure: { reason: error.split('\n')[0] ?? error, data: '' } };
  if (restorePreamble !== undefined && restorePreamble !== null)
    return { reason: 'entries of the contract are archived and must be restored first', isFinal: true };
  const [first] = listOf(results, 'results');
  const auth = listOf(membersOf(first).auth ?? [], 'auth').map((entry) => textOf(entry, 'auth'));
  for (const entry of auth) {
    const { credentials } = recordOf(decodeXdr('SorobanAuthorizationEntry', entry));
    const { address } = membersOf(membersOf(credentials).address);
    if (credentials !== 'source_account')
      return {
        reason: `${String(address)} must authorise it as well, and Vigil has only the key of ${from}`,
        isFinal: true,
      };
  }
  return {
    resourceFee: amountOf(minResourceFee),
    data: textOf(transactionData, 'transactionData'),
    auth,
  };
}

function closeTimeOf({ latestLedgerCloseTime: time }: Readonly<Record<string, unknown>>): number {
  return numberOf(Number(time), 'latestLedgerCloseTime');
}

function hashIn(raw: string, network: Network): string {
  return bytesToHex(network.hashOf(readEnvelope(decodeXdr('TransactionEnvelope', raw)).tagged));
}

/** The fee, and XLM that the account has less by it. */
function costOf(answer: Readonly<Record<string, unknown>>, from: string, network: Network): bigint {
  const { fee_charged: fee } = recordOf(
    decodeXdr('TransactionResult', textOf(answer.resultXdr, 'resultXdr')),
  );
  const meta = metaOf(decodeXdr('TransactionMeta', textOf(answer.resultMetaXdr, 'resultMetaXdr')));
  const held = (entry: Parameters<typeof holdingsIn>[0]) =>
    holdingsIn(entry, network)
      .filter(({ asset, holder }) => asset === 'native' && holder === from)
      .reduce((sum, { amount }) => sum + amount, 0n);
  const paid = listOf(meta.operations, 'operations')
    .flatMap((item) => readSteps(recordOf(item).changes))
    .reduce((sum, { before, after }) => sum + held(before) - held(after), 0n);
  return amountOf(fee) + (paid > 0n ? paid : 0n);
}

function toBroadcast(reply: RpcReply): Broadcast {
  const { status, errorResultXdr } = recordOf(resultOf(reply));
  if (status === 'PENDING' || status === 'DUPLICATE') return { outcome: 'accepted' };
  if (status === 'TRY_AGAIN_LATER')
    return { outcome: 'refused', reason: 'another transaction of the account waits for its ledger' };
  const why = showFailure(decodeXdr('TransactionResult', textOf(errorResultXdr, 'errorResultXdr')));
  if (why === 'tx_bad_seq')
    return { outcome: 'refused', reason: 'its sequence number is not the next one of the account' };
  if (why === 'tx_too_late') return { outcome: 'stale' };
  return { outcome: 'refused', reason: why };
}
