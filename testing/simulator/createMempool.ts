import type { Arrival, Mining } from './arrival.ts';
import type { BlockSpec, SimBlock, TxSpec } from './buildBlock.ts';
import { createAccounts } from './createAccounts.ts';
import { costOf, createQueue } from './createQueue.ts';
import type { SimChain } from './createSimChain.ts';
import { type Contract, execute, intrinsicGas, priceOf } from './execute.ts';
import { isEnoughMore, type NonceFault, nonceFaults } from './nonceFaults.ts';
import { parseTransaction, type SignedTx, toWire } from './parseTransaction.ts';
import { RpcError } from './rpcError.ts';

/** What blocks cost; all in wei per gas. */
export type Market = {
  /** null: a chain without one, which takes legacy transactions only. */
  baseFee: bigint | null;
  /** What the middle transaction pays on top; on a chain without base fee, what it pays. */
  tip: bigint;
  /** Blocks take nothing that pays less than this. */
  minPrice: bigint;
};

type Options = Partial<Market> & {
  /** Accounts not named here have nothing. */
  balances?: Readonly<Record<string, bigint>>;
  /** Decides what calls do; they succeed by default. */
  contract?: Contract;
};

export type Mempool = ReturnType<typeof createMempool>;

/**
 * The transactions that wait for blocks of this chain. Every block the chain makes takes those that are due, in nonce
 * order.
 */
export function createMempool(chain: SimChain, options: Options = {}) {
  const { baseFee = 1_000_000_000n, tip = 1_000_000_000n, minPrice = 0n, contract } = options;
  let market: Market = { baseFee, tip, minPrice };
  const accounts = createAccounts(options.balances ?? {});
  const queue = createQueue();
  const parsed = new Map<string, SignedTx>();
  const arrivals: Arrival[] = [];
  const minings: Mining[] = [];
  const byBlock = new Map<string, Mining[]>();
  let timer: NodeJS.Timeout | undefined;

  function parse(raw: string): SignedTx {
    const tx = parsed.get(raw) ?? parseTransaction(raw);
    parsed.set(raw, tx);
    return tx;
  }

  function check(tx: SignedTx): void {
    if (queue.find(tx.hash)) throw new RpcError(-32000, 'already known');
    if (market.baseFee === null && tx.type !== 'legacy')
      throw new RpcError(-32000, 'transaction type not supported');
    if (tx.chainId !== chain.chainId)
      throw new RpcError(
        -32000,
        `invalid chain id for signer: have ${tx.chainId ?? 0} want ${chain.chainId}`,
      );
    const minimum = intrinsicGas(tx);
    if (tx.gas < minimum)
      throw new RpcError(-32000, `intrinsic gas too low: gas ${tx.gas}, minimum needed ${minimum}`);
    const { nonce, balance } = accounts.of(tx.from);
    if (tx.nonce < nonce)
      throw new RpcError(-32000, `nonce too low: next nonce ${nonce}, tx nonce ${tx.nonce}`);
    const rival = queue.at(tx.from, tx.nonce);
    if (rival && !isEnoughMore(tx, rival)) throw new RpcError(-32000, 'replacement transaction underpriced');
    const cost = queue.cost(tx.from) - (rival ? costOf(rival) : 0n) + costOf(tx);
    if (balance < cost)
      throw new RpcError(
        -32000,
        `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`,
      );
  }

  function take({ number, hash }: { number: number; hash: string }): Mining[] {
    const taken: Mining[] = [];
    for (const from of queue.senders())
      for (let tx = next(from); tx; tx = next(from)) {
        const price = priceOf(tx, market.baseFee);
        if (price === undefined || price < market.minPrice || accounts.of(from).balance < costOf(tx)) break;
        const mining = { tx, blockNumber: number, blockHash: hash, price, ...execute(tx, contract) };
        accounts.apply(mining);
        queue.remove(tx);
        taken.push(mining);
      }
    return taken;
  }

  const next = (from: string): SignedTx | undefined => queue.at(from, accounts.of(from).nonce);

  chain.attach({
    seal(place, spec): BlockSpec {
      const taken = spec.takesNone ? [] : take(place);
      minings.push(...taken);
      if (taken.length > 0) byBlock.set(place.hash, taken);
      return { baseFee: market.baseFee, ...spec, txs: [...(spec.txs ?? []), ...taken.map(toSpec)] };
    },
    drop(blocks: readonly SimBlock[]) {
      for (const { hash } of blocks.toReversed())
        for (const mining of byBlock.get(hash)?.toReversed() ?? []) {
          accounts.revert(mining);
          queue.put(mining.tx);
        }
    },
    restore({ hash }: SimBlock) {
      for (const mining of byBlock.get(hash) ?? []) {
        accounts.apply(mining);
        queue.remove(mining.tx);
      }
    },
  });

  return {
    /** What eth_sendRawTransaction does. */
    submit(raw: string): string {
      const arrival = { tx: parse(raw), atMs: Date.now(), outcome: 'accepted' };
      arrivals.push(arrival);
      try {
        check(arrival.tx);
      } catch (error) {
        if (error instanceof RpcError) arrival.outcome = error.message;
        throw error;
      }
      queue.put(arrival.tx);
      return arrival.tx.hash;
    },

    /** Writes down one that was sent and never arrived. */
    noteLost(raw: string): void {
      arrivals.push({ tx: parse(raw), atMs: Date.now(), outcome: 'lost' });
    },

    /** Drops a waiting transaction, as nodes with a full pool do; its sender is not notified. */
    forget(hash: string): void {
      const tx = queue.find(hash);
      if (!tx) throw new Error(`Transaction ${hash} is not waiting, so it cannot be forgotten.`);
      queue.remove(tx);
    },

    find: queue.find,

    /** Those of one sender that wait, gaps or not, in nonce order. */
    pending: (address: string): SignedTx[] =>
      queue.of(address.toLowerCase()).sort((a, b) => a.nonce - b.nonce),

    /** The next nonce: as far as the pool goes without a gap, or as of a block. */
    nonce(address: string, at: 'pending' | number): number {
      if (at !== 'pending') return accounts.at(address, at).nonce;
      let { nonce } = accounts.of(address);
      while (queue.at(address.toLowerCase(), nonce)) nonce++;
      return nonce;
    },

    /** Undefined: this account is none of the mempool's. */
    balance: (address: string, blockNumber: number): bigint | undefined =>
      accounts.has(address) ? accounts.at(address, blockNumber).balance : undefined,
    setBalance: (address: string, wei: bigint): void => accounts.setBalance(address, wei),

    contract,
    get market(): Readonly<Market> {
      return market;
    },
    setMarket(change: Partial<Market>): void {
      market = { ...market, ...change };
    },

    /** From now on the chain grows by itself; 0 ends that. */
    mineEvery(ms: number): void {
      clearInterval(timer);
      timer = ms > 0 ? setInterval(() => chain.extend(1), ms).unref() : undefined;
    },

    /** Every arrival, in order. */
    get arrivals(): readonly Arrival[] {
      return arrivals;
    },
    /** Every transaction that ever was in a block, dropped blocks too. */
    get minings(): readonly Mining[] {
      return minings;
    },
    /** Those on the present chain, in its order. */
    mined: (address?: string): Mining[] =>
      accounts.mined.filter(({ tx }) => address === undefined || tx.from === address.toLowerCase()),
    /** What a sender must never do, whatever the network did to it. */
    nonceFaults: (): NonceFault[] => nonceFaults(arrivals),
  };
}

const toSpec = ({ tx, status, gasUsed, price }: Mining): TxSpec => ({
  hash: tx.hash,
  from: tx.from,
  to: tx.to,
  value: tx.value,
  input: tx.data,
  nonce: tx.nonce,
  status,
  gasUsed,
  signed: toWire(tx, price),
});
