import { type SimBlock, toHex } from './buildBlock.ts';
import type { Mempool } from './createMempool.ts';
import type { SimChain } from './createSimChain.ts';
import { type SimCall, tryCall } from './execute.ts';
import { toWire } from './parseTransaction.ts';
import { RpcError, toText } from './rpcError.ts';

type Means = {
  chain: SimChain;
  mempool: Mempool;
  find(tag: unknown): SimBlock | undefined;
  /** This server knows no transaction before it is mined. */
  blindPool: boolean;
};

/** The value that answers a call about transactions and what they cost; undefined: the chain itself answers. */
export function handleTransactions(means: Means, method: string, params: readonly unknown[]): unknown {
  const { mempool, find, blindPool } = means;
  const { baseFee, tip } = mempool.market;
  const [first, second] = params;
  const numberAt = (tag: unknown): number => {
    const block = find(tag);
    if (!block) throw new RpcError(-32000, 'header not found');
    return block.number;
  };
  switch (method) {
    case 'eth_sendRawTransaction':
      return mempool.submit(toText(first));
    case 'eth_getTransactionCount': {
      const at = second === 'pending' && !blindPool ? 'pending' : numberAt(second);
      return toHex(mempool.nonce(toText(first), at));
    }
    case 'eth_getBalance': {
      const balance = mempool.balance(toText(first), numberAt(second));
      return balance === undefined ? undefined : toHex(balance);
    }
    case 'eth_gasPrice':
      return toHex((baseFee ?? 0n) + tip);
    case 'eth_maxPriorityFeePerGas':
      return baseFee === null ? undefined : toHex(tip);
    case 'eth_feeHistory':
      return baseFee === null ? undefined : feeHistory(means, baseFee, params);
    case 'eth_estimateGas':
      return toHex(estimateGas(means, toCall(first, 'estimate')));
    case 'eth_call':
      tryCall(toCall(first, 'call'), mempool.contract);
      return undefined;
    case 'eth_getTransactionByHash':
      return blindPool ? undefined : findPending(mempool, toText(first));
    default:
      return undefined;
  }
}

function feeHistory(
  { chain, mempool, find }: Means,
  baseFee: bigint,
  [count, newest, percentiles]: readonly unknown[],
): object {
  const last = find(newest);
  if (!last) throw new RpcError(-32000, 'request beyond head block');
  const oldest = Math.max(chain.startNumber, last.number + 1 - Number(count));
  const blocks = chain.blocks.slice(oldest - chain.startNumber, last.number + 1 - chain.startNumber);
  const following = chain.at(last.number + 1)?.header.baseFeePerGas ?? toHex(baseFee);
  const wanted: readonly unknown[] = Array.isArray(percentiles) ? percentiles : [];
  // The middle of the market pays the tip, the meanest half of it, the most generous half as much again.
  const reward = wanted.map((percentile) =>
    toHex((mempool.market.tip * BigInt(50 + Number(percentile))) / 100n),
  );
  return {
    oldestBlock: toHex(oldest),
    baseFeePerGas: [...blocks.map(({ header }) => header.baseFeePerGas ?? '0x0'), following],
    gasUsedRatio: blocks.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
    ...(wanted.length > 0 && { reward: blocks.map(() => reward) }),
  };
}

function estimateGas({ chain, mempool }: Means, call: SimCall): number {
  if (call.value > (mempool.balance(call.from, chain.head.number) ?? 0n))
    throw new RpcError(-32000, 'insufficient funds for transfer');
  return tryCall(call, mempool.contract);
}

function findPending(mempool: Mempool, hash: string): object | undefined {
  const tx = mempool.find(hash);
  return tx && { ...toWire(tx, tx.maxFee), blockHash: null, blockNumber: null, transactionIndex: null };
}

function toCall(argument: unknown, phase: SimCall['phase']): SimCall {
  const call: Readonly<Record<string, unknown>> = { ...(typeof argument === 'object' && argument) };
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' ? value.toLowerCase() : undefined;
  return {
    phase,
    from: text(call.from) ?? `0x${'0'.repeat(40)}`,
    to: text(call.to) ?? null,
    data: text(call.data) ?? text(call.input) ?? '0x',
    value: BigInt(text(call.value) ?? 0),
  };
}
