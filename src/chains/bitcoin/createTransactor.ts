import { zip } from '../../lib/zip.ts';
import { createBroadcast } from '../createBroadcast.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { listOf, recordOf } from '../net/members.ts';
import { InvalidResponse, resultOf } from '../net/replies.ts';
import type {
  Broadcast,
  ChainCall,
  Mined,
  Offer,
  Place,
  Refusal,
  SamePlaceTransactor,
  SentTransaction,
  StuckCall,
  Terms,
} from '../transactor.ts';
import { bumpRate, checkRate, chooseRate, type Rates, rateCalls, readRates } from './chooseRate.ts';
import { createCoins } from './createCoins.ts';
import type { Scan } from './createScan.ts';
import { createTransactionSearch } from './createTransactionSearch.ts';

import {
  buildPayment,
  type Coin,
  inputSize,
  type PaymentPlan,
  perUnit,
  placeholder,
  planPayment,
  readInput,
  readOutputs,
  readPayment,
  toInput,
} from './payment.ts';

/** A transaction with more inputs is larger than nodes relay. */
const maxInputs = 1000;
/** Coins are picked for a fee of this many times the present one, so that a replacement can pay it. */
const feeReserve = 4n;

/** Pays from P2WPKH addresses. The inputs are the place of a payment: two that spend the same coin exclude each other. */
export function createTransactor(endpoints: Endpoints, scan: Scan): SamePlaceTransactor {
  const { request } = endpoints;
  const coins = createCoins(endpoints, scan);
  const { recall, search } = createTransactionSearch(endpoints);
  /** Inputs that were not there, with the newest block when this was first seen. */
  const missing = new Map<string, { hash: string; number: number }>();

  const readMarket = () => request(rateCalls, readRates);

  /** Without what a transaction in the pool spends already. */
  async function freeCoins(coinList: readonly Coin[], taken: ReadonlySet<string>): Promise<Coin[]> {
    const rest = coinList.filter((coin) => !taken.has(toInput(coin)));
    if (rest.length === 0) return [];
    const outpoints = rest.map(({ txid, vout }) => ({ txid, vout }));
    const spenders = await request([{ method: 'gettxspendingprevout', params: [outpoints] }], ([reply]) =>
      listOf(resultOf(reply), 'spending transactions').map((item) => recordOf(item).spendingtxid),
    );
    return rest.filter((_, index) => spenders[index] === undefined);
  }

  /** The node's verdict on the payment before it is signed; nodes report the missing signature last. */
  async function simulate(
    from: string,
    call: ChainCall,
    picked: readonly Coin[],
    plan: PaymentPlan,
  ): Promise<Refusal | undefined> {
    const { payloads, finish } = buildPayment(from, readPayment(call), picked, plan);
    const { raw } = finish(payloads.map(() => placeholder));
    const result = await request([{ method: 'testmempoolaccept', params: [[raw]] }], ([reply]) =>
      recordOf(listOf(resultOf(reply), 'results')[0]),
    );
    const { 'reject-reason': rejected } = result;
    const reason = typeof rejected === 'string' ? rejected : '';
    if (result.allowed === true || /script-verify/.test(reason)) return undefined;
    if (/missing|conflict|spent/.test(reason)) throw new InvalidResponse(`its coins have changed: ${reason}`);
    const isFinal = !/fee|full|chain/.test(reason);
    return { reason: `The node refuses the payment: ${reason || 'it does not say why'}.`, isFinal };
  }

  async function offer(
    from: string,
    { to, data, terms }: ChainCall & { terms: Terms },
    free: readonly Coin[],
    rates: Rates,
  ): Promise<Offer | Refusal> {
    const chosen = chooseRate(rates, terms);
    if ('reason' in chosen) return chosen;
    const { rate } = chosen;
    const call = { to, data };
    const payment = readPayment(call);
    const picked = pickCoins(payment.sats, free, rate);
    const plan = planPayment(payment, from, picked, rate);
    if (!plan)
      return {
        reason: `The wallet can spend ${sumOf(free)} satoshis in confirmed coins that no other call spends, which is too little for this payment and its fee.`,
        isFinal: false,
        needsFunds: true,
      };
    const refused = await simulate(from, call, picked, plan);
    return (
      refused ?? {
        units: plan.vsize,
        price: { maxFee: rate, tip: null },
        cost: plan.paid + plan.fee,
        place: { inputs: picked.map(toInput) },
      }
    );
  }

  async function reprice(stuck: StuckCall): Promise<Offer | Refusal | undefined> {
    const { from, call, terms, price, raw, isEmpty, givesUp } = stuck;
    const coinList = coinsOf(stuck.place);
    const total = sumOf(coinList);
    const rates = await readMarket();
    const payment = isEmpty ? { to: from, sats: undefined } : readPayment(call);
    const size = planPayment(payment, from, coinList, 0n)?.vsize ?? stuck.units;
    // BIP-125: it pays what the former one paid, and for its own way through the network.
    const before = total - readOutputs(raw, from).total;
    const least = ((before + 1n) * perUnit) / size + rates.step;
    const market = { ...terms, ...(isEmpty ? { price: 'market' } : {}) };
    const bumped = bumpRate(rates, price.maxFee, least, market, givesUp);
    if (!bumped || 'reason' in bumped) return bumped;
    const plan = planPayment(payment, from, coinList, bumped.rate);
    if (!plan || plan.fee <= before)
      return {
        reason: 'It waits for a cheaper block: the coins that it spends cannot pay a higher fee.',
        isFinal: false,
      };
    const sats = isEmpty ? readPayment(call).sats : plan.paid;
    return {
      units: plan.vsize,
      price: { maxFee: bumped.rate, tip: null },
      // Both may be mined, so what the call pays counts as well.
      cost: (sats ?? total - plan.fee) + plan.fee,
    };
  }

  /** True if the output is unspent after the newest block. */
  const isUnspent = (inputs: readonly Coin[]) =>
    request(
      inputs.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, false] })),
      (replies) => replies.map((reply) => resultOf(reply) !== null),
    );

  /** The block of each transaction, as far as it is part of the chain, and the head. */
  async function findMined(sent: readonly SentTransaction[]) {
    const unspent = await isUnspent(sent.map(({ place: slot }) => firstOf(slot)));
    for (const [transaction, isFree] of zip(sent, unspent))
      if (!isFree && !(await isInChain(recall(transaction.hash)?.blockHash))) await search(transaction);
    const recalled = sent.map(({ hash }) => recall(hash));
    const positions = recalled.filter((it) => it !== undefined);
    return request(
      [{ method: 'getblockcount', params: [] }, ...positions.map(({ blockHash }) => headerCall(blockHash))],
      ([count, ...headers]) => {
        const isValid = new Set(
          zip(positions, headers).flatMap(([{ blockHash }, header]) =>
            isConfirmed(header) ? [blockHash] : [],
          ),
        );
        return {
          head: Number(resultOf(count)),
          found: recalled.map((it) => (it && isValid.has(it.blockHash) ? it : null)),
        };
      },
    );
  }

  async function isInChain(hash: string | undefined): Promise<boolean> {
    if (hash === undefined) return false;
    return request([headerCall(hash)], ([reply]) => isConfirmed(reply));
  }

  return {
    replaces: 'samePlace',
    async prepare(from, requests, inputs) {
      if (!from.startsWith('bc1q')) {
        const reason =
          'Vigil pays from addresses that start with bc1q only: make a wallet without an old key.';
        return { balance: 0n, offers: requests.map(() => ({ reason, isFinal: true })) };
      }
      const rates = await readMarket();
      const coinList = await coins.read(from);
      let free = await freeCoins(coinList, new Set(inputs));
      const offers: (Offer | Refusal)[] = [];
      const prepared = { balance: sumOf(coinList), spendable: sumOf(free), offers };
      for (const call of requests) {
        const made = await offer(from, call, free, rates);
        offers.push(made);
        const taken = new Set(
          'place' in made && made.place && 'inputs' in made.place ? made.place.inputs : [],
        );
        free = free.filter((coin) => !taken.has(toInput(coin)));
      }
      return prepared;
    },
    build({ from, call, price, place: slot }) {
      const coinList = coinsOf(slot);
      const payment = readPayment(call);
      const plan = planPayment(payment, from, coinList, price.maxFee);
      if (!plan) throw new Error('The coins of the payment do not pay for it.');
      return buildPayment(from, payment, coinList, plan);
    },
    broadcast: createBroadcast(
      endpoints,
      (raw) => ({ method: 'sendrawtransaction', params: [raw] }),
      toBroadcast,
    ),
    async progress(sent) {
      const { head, found: blocks } = await findMined(sent);
      const mined = zip(sent, blocks).map(([{ from, raw, place: slot }, block]): Mined | null => {
        if (!block) return null;
        const coinList = coinsOf(slot);
        // Change that returns to the wallet is no cost.
        const { total, toOthers } = readOutputs(raw, from);
        return { isSuccess: true, ...block, cost: sumOf(coinList) - total + toOthers };
      });
      return { head, mined };
    },
    checkTerms: async ({ price }) => checkRate(await readMarket(), price),
    findFailure: async () => undefined,
    emptyCall: (from) => ({ to: from, data: 'sweep', units: 110n }),
    reprice,
    async findPlace(_, slot, block, sent) {
      const coinList = coinsOf(slot);
      const unspent = await isUnspent(coinList);
      const gone = coinList.filter((_coin, index) => !unspent[index]).map(toInput);
      for (const [coin, isFree] of zip(coinList, unspent)) if (isFree) missing.delete(toInput(coin));
      if (gone.length === 0) return 'free';
      const { found: blocks } = await findMined(sent);
      if (blocks.some((it) => it !== null)) return 'taken';
      for (const input of gone) {
        const seen = missing.get(input);
        if (seen && (await isInChain(seen.hash))) {
          // It was spent, or never came into being, in a block that is deep enough by now.
          if (seen.number <= block) return 'lost';
        } else missing.set(input, await readHead());
      }
      // Not certain yet: no replacement could be sent meanwhile.
      return 'taken';
    },
  };

  function readHead() {
    return request([{ method: 'getblockchaininfo', params: [] }], ([reply]) => {
      const { blocks, bestblockhash } = recordOf(resultOf(reply));
      return { hash: String(bestblockhash), number: Number(blocks) };
    });
  }
}

/** Few coins that pay for the amount and leave room for a higher fee; all that are worth their fee where all is paid. */
function pickCoins(sats: bigint | undefined, free: readonly Coin[], rate: bigint): Coin[] {
  const feeOfInput = (inputSize * rate) / perUnit;
  const worth = free.filter(({ amount }) => amount > feeOfInput).slice(0, maxInputs);
  if (sats === undefined) return worth;
  const picked: Coin[] = [];
  let missing = sats + (feeReserve * 100n * rate) / perUnit;
  for (const coin of worth) {
    if (missing <= 0n) break;
    picked.push(coin);
    missing -= coin.amount - feeReserve * feeOfInput;
  }
  return picked;
}

function coinsOf(slot: Place): Coin[] {
  if (!('inputs' in slot)) throw new Error('A payment in Bitcoin spends inputs.');
  return slot.inputs.map(readInput);
}

function firstOf(slot: Place): Coin {
  const [first] = coinsOf(slot);
  if (!first) throw new Error('A payment in Bitcoin spends at least one input.');
  return first;
}

function sumOf(coinList: readonly Coin[]): bigint {
  return coinList.reduce((sum, { amount }) => sum + amount, 0n);
}

const headerCall = (hash: string): RpcCall => ({ method: 'getblockheader', params: [hash, true] });

/** A block that the node does not know, or that is on another branch, does not count. */
function isConfirmed(reply: RpcReply | undefined): boolean {
  return reply !== undefined && 'result' in reply && Number(recordOf(reply.result).confirmations) > 0;
}

function toBroadcast(reply: RpcReply): Broadcast {
  if ('result' in reply) return { outcome: 'accepted' };
  const { message } = reply.error;
  if (/already in (block chain|utxo set|mempool)|already-(in-mempool|known)/i.test(message))
    return { outcome: 'accepted' };
  if (/insufficient fee|mempool-conflict|replacement/i.test(message)) return { outcome: 'underpriced' };
  return { outcome: 'refused', reason: message };
}
