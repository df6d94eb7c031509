import { type SimBlock, toHex, type WireLog, type WireTransaction } from './buildBlock.ts';
import type { Mempool } from './createMempool.ts';
import type { SimChain } from './createSimChain.ts';
import type { Faults } from './faults.ts';
import { handleTransactions } from './handleTransactions.ts';
import { RpcError, toText } from './rpcError.ts';

export type Node = {
  chain: SimChain;
  faults: Faults;
  state: SimState;
  /** Without one it takes no transactions. */
  mempool: Mempool | undefined;
};

/** What the chain's state answers; a thrown RpcError is sent as such. Absent: an account without code and coins. */
export type SimState = {
  call?(tx: { from?: string; to?: string; data?: string }, block: SimBlock): string | Promise<string>;
  balance?(address: string, block: SimBlock): bigint;
  code?(address: string, block: SimBlock): string;
  storage?(address: string, slot: string, block: SimBlock): string;
  /** The tree of calls of `debug_traceCall`; absent: the server does not trace. */
  trace?(tx: { from?: string; to?: string }): object;
  /** The traces of a block's transactions, as JSON; absent: the server does not trace blocks. */
  traceBlock?(block: SimBlock): string;
};

/** The answer to one call, as JSON. */
export async function handleRpc(
  { chain, faults, state, mempool }: Node,
  method: string,
  params: readonly unknown[],
): Promise<string | Buffer> {
  const view = createView(chain, faults);
  const { blindPool = false } = faults;
  const known = mempool && handleTransactions({ chain, mempool, find: view.find, blindPool }, method, params);
  if (known !== undefined) return JSON.stringify(known);
  const [first, second, third] = params;
  const stateAt = (tag: unknown): SimBlock => {
    const block = view.find(tag);
    if (!block) throw new RpcError(-32000, 'header not found');
    return block;
  };
  switch (method) {
    case 'eth_chainId':
      return text(toHex(faults.wrongChainId ?? chain.chainId));
    case 'net_version':
      return text(String(faults.wrongChainId ?? chain.chainId));
    case 'web3_clientVersion':
      return text('simulator/1');
    case 'eth_blockNumber':
      return text(toHex(view.head.number));
    case 'eth_getBlockByNumber':
      return blockJson(view.find(first), second === true);
    case 'eth_getBlockByHash':
      return blockJson(view.find({ blockHash: first }), second === true);
    case 'eth_getLogs':
      return logsJson(view, faults, isRecord(first) ? first : {});
    case 'eth_getBlockReceipts': {
      const block = view.find(first);
      return JSON.stringify(block ? unpack(block).receipts : null);
    }
    case 'eth_getTransactionReceipt': {
      const place = view.findTransaction(first);
      return JSON.stringify(place ? unpack(place.block).receipts[place.index] : null);
    }
    case 'eth_getTransactionByHash': {
      const place = view.findTransaction(first);
      return JSON.stringify(place ? unpack(place.block).transactions[place.index] : null);
    }
    case 'eth_call': {
      const block = stateAt(second ?? 'latest');
      return text((await state.call?.(isRecord(first) ? first : {}, block)) ?? '0x');
    }
    case 'debug_traceCall':
      if (!state.trace) break;
      return JSON.stringify(state.trace(isRecord(first) ? first : {}));
    case 'debug_traceBlockByHash':
      if (!state.traceBlock) break;
      return state.traceBlock(stateAt({ blockHash: first }));
    case 'eth_getBalance':
      return text(toHex(state.balance?.(toText(first), stateAt(second)) ?? 0n));
    case 'eth_getCode':
      return text(state.code?.(toText(first), stateAt(second)) ?? '0x');
    case 'eth_getStorageAt':
      return text(state.storage?.(toText(first), toText(second), stateAt(third)) ?? `0x${'0'.repeat(64)}`);
  }
  throw new RpcError(-32601, `the method ${method} does not exist/is not available`);
}

type View = ReturnType<typeof createView>;

/** The chain as far as this server knows it. */
export function createView(chain: SimChain, { stuckAt = Number.POSITIVE_INFINITY, behind = 0 }: Faults) {
  const headNumber = Math.max(chain.startNumber, Math.min(stuckAt, chain.head.number - behind));
  const head = chain.at(headNumber);
  if (!head) throw new Error(`There is no block ${headNumber} to be stuck at.`);
  const visible = (block: SimBlock | undefined) => (block && block.number <= headNumber ? block : undefined);

  /** By tag, number or the object of EIP-1898. */
  function find(tag: unknown): SimBlock | undefined {
    if (isRecord(tag)) {
      if (tag.blockHash === undefined) return find(tag.blockNumber);
      const block = visible(chain.byHash(toText(tag.blockHash)));
      return block && tag.requireCanonical === true && !chain.isCanonical(block) ? undefined : block;
    }
    if (tag === 'latest' || tag === 'pending') return head;
    if (tag === 'finalized' || tag === 'safe') return visible(chain.at(chain.finalized)) ?? head;
    if (tag === 'earliest') return chain.at(chain.startNumber);
    if (typeof tag === 'string' && tag.startsWith('0x')) return visible(chain.at(Number(tag)));
    throw new RpcError(-32602, `invalid block tag ${JSON.stringify(tag)}`);
  }

  return {
    head,
    find,
    findTransaction(hash: unknown) {
      const place = chain.findTransaction(toText(hash));
      return place && visible(place.block) ? place : undefined;
    },
  };
}

function blockJson(block: SimBlock | undefined, isFull: boolean): string | Buffer {
  if (!block) return 'null';
  if (isFull) return block.json;
  return JSON.stringify({ ...block.header, uncles: [], transactions: block.transactionHashes });
}

function logsJson(view: View, faults: Faults, filter: Readonly<Record<string, unknown>>): string | Buffer {
  const blocks = blocksOf(view, filter);
  if (faults.missingLogs) return '[]';
  const [only] = blocks;
  const isWhole = filter.address === undefined && filter.topics === undefined;
  if (only && blocks.length === 1 && isWhole && !faults.lyingLogs) return only.logsJson;
  const logs = blocks.flatMap((block) => lie(logsOf(block), faults.lyingLogs));
  return JSON.stringify(logs.filter((log) => matches(log, filter)));
}

function blocksOf(view: View, filter: Readonly<Record<string, unknown>>): SimBlock[] {
  if (filter.blockHash !== undefined) {
    const block = view.find({ blockHash: filter.blockHash });
    if (!block) throw new RpcError(-32000, 'unknown block');
    return [block];
  }
  const from = filter.fromBlock ?? 'latest';
  const to = filter.toBlock ?? 'latest';
  const last = view.find(to) ?? view.head;
  const blocks: SimBlock[] = [];
  for (
    let block = view.find(from);
    block && block.number <= last.number;
    block = view.find(toHex(block.number + 1))
  )
    blocks.push(block);
  return blocks;
}

function lie(logs: WireLog[], kind: Faults['lyingLogs']): WireLog[] {
  const last = logs.at(-1);
  if (!kind || !last) return logs;
  switch (kind) {
    case 'otherBlock':
      return logs.map((log) => ({ ...log, blockHash: `0x${'ab'.repeat(32)}` }));
    case 'truncated':
      return logs.slice(0, -1);
    case 'invented':
      return [...logs, { ...last, address: `0x${'ba'.repeat(20)}`, logIndex: toHex(logs.length) }];
  }
}

function matches(log: WireLog, { address, topics }: Readonly<Record<string, unknown>>): boolean {
  const accepts = (wanted: unknown, value: string | undefined): boolean =>
    wanted === undefined ||
    wanted === null ||
    [wanted].flat().some((one) => toText(one).toLowerCase() === value?.toLowerCase());
  const wanted: readonly unknown[] = Array.isArray(topics) ? topics : [];
  return accepts(address, log.address) && wanted.every((topic, place) => accepts(topic, log.topics[place]));
}

type Unpacked = { transactions: WireTransaction[]; receipts: object[] };

// Receipts are asked for one by one, and mostly those of the newest blocks.
const unpacked = new Map<SimBlock, Unpacked>();

function unpack(block: SimBlock): Unpacked {
  const found = unpacked.get(block);
  if (found) return found;
  const { transactions } = JSON.parse(block.json.toString()) as { transactions: WireTransaction[] };
  const result = { transactions, receipts: toReceipts(block, transactions) };
  if (unpacked.size >= 32) unpacked.delete(unpacked.keys().next().value!);
  unpacked.set(block, result);
  return result;
}

function toReceipts(block: SimBlock, transactions: readonly WireTransaction[]): object[] {
  const logs = logsOf(block);
  let cumulative = 0;
  return transactions.map(({ hash, from, to, gasPrice, type }, index) => {
    const { status, gasUsed } = block.outcomes[index]!;
    cumulative += gasUsed;
    return {
      transactionHash: hash,
      transactionIndex: toHex(index),
      blockHash: block.hash,
      blockNumber: toHex(block.number),
      from,
      to,
      status: status ? '0x1' : '0x0',
      gasUsed: toHex(gasUsed),
      cumulativeGasUsed: toHex(cumulative),
      effectiveGasPrice: gasPrice,
      contractAddress: to === null ? `0x${hash.slice(-40)}` : null,
      logs: logs.filter((log) => log.transactionHash === hash),
      type,
    };
  });
}

const logsOf = (block: SimBlock): WireLog[] => JSON.parse(block.logsJson.toString()) as WireLog[];

const text = (value: string): string => JSON.stringify(value);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
