import { createHash } from 'node:crypto';
import { toBloom } from './toBloom.ts';

export type LogSpec = { address: string; topics: readonly string[]; data?: string };

export type TxSpec = {
  /** Give it to have the same transaction on both branches of a fork; otherwise it follows from block and place. */
  hash?: string;
  from?: string;
  /** null: creates a contract. */
  to?: string | null;
  value?: bigint;
  input?: string;
  nonce?: number;
  /** false: reverted. */
  status?: boolean;
  gasUsed?: number;
  logs?: readonly LogSpec[];
  /** What a real signature covers, as a node sends it; otherwise it is made up. */
  signed?: Readonly<Record<string, unknown>>;
};

export type BlockSpec = {
  txs?: readonly TxSpec[];
  /** Logs whose transaction does not matter: one more is made for them. */
  logs?: readonly LogSpec[];
  /** Seconds; otherwise the chain's block time after the parent. */
  timestamp?: number;
  /** Wei; null: a chain without one. */
  baseFee?: bigint | null;
  /** Leaves what waits in the mempool where it is. */
  takesNone?: boolean;
};

/** As a node sends it. */
export type WireLog = {
  address: string;
  topics: readonly string[];
  data: string;
  blockNumber: string;
  blockHash: string;
  blockTimestamp: string;
  transactionHash: string;
  transactionIndex: string;
  logIndex: string;
  removed: false;
};

export type WireTransaction = {
  hash: string;
  from: string;
  to: string | null;
  gasPrice: string;
  type: string;
  [member: string]: unknown;
};
type WireHeader = {
  number: string;
  hash: string;
  parentHash: string;
  gasUsed: string;
  gasLimit: string;
  baseFeePerGas?: string;
  [member: string]: unknown;
};

/** Serialised once, so that serving costs nothing and a long chain stays small. */
export type SimBlock = {
  number: number;
  hash: string;
  parentHash: string;
  timestamp: number;
  header: WireHeader;
  transactionHashes: readonly string[];
  /** The block with its transactions, as JSON. */
  json: Buffer;
  /** All its logs, as JSON. */
  logsJson: Buffer;
  outcomes: readonly { status: boolean; gasUsed: number }[];
};

type Place = { chainId: number; number: number; hash: string; parentHash: string; timestamp: number };

export function buildBlock(place: Place, spec: BlockSpec): SimBlock {
  const { number, hash, parentHash, timestamp } = place;
  const txs = [...(spec.txs ?? []), ...(spec.logs?.length ? [{ logs: spec.logs }] : [])];
  const transactions = txs.map((tx, index) => toWireTransaction(place, tx, index));
  const logs = toWireLogs(place, txs, transactions);
  const outcomes = txs.map(({ status = true, gasUsed = 21_000 }) => ({ status, gasUsed }));
  const header = {
    number: toHex(number),
    hash,
    parentHash,
    nonce: '0x0000000000000000',
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    logsBloom: toBloom(logs),
    transactionsRoot: digest(`transactions ${hash}`),
    stateRoot: digest(`state ${hash}`),
    receiptsRoot: digest(`receipts ${hash}`),
    miner: '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5',
    difficulty: '0x0',
    extraData: '0x',
    size: toHex(600 + transactions.length * 250),
    gasLimit: toHex(36_000_000),
    gasUsed: toHex(outcomes.reduce((sum, { gasUsed }) => sum + gasUsed, 0)),
    timestamp: toHex(timestamp),
    ...(spec.baseFee !== null && { baseFeePerGas: toHex(spec.baseFee ?? 1_000_000_000n) }),
    mixHash: digest(`mix ${hash}`),
  };
  return {
    number,
    hash,
    parentHash,
    timestamp,
    header,
    transactionHashes: transactions.map((tx) => tx.hash),
    json: Buffer.from(JSON.stringify({ ...header, uncles: [], withdrawals: [], transactions })),
    logsJson: Buffer.from(JSON.stringify(logs)),
    outcomes,
  };
}

export const toHex = (value: number | bigint): string => `0x${value.toString(16)}`;

export const digest = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`;

const someone = '0x00000000000000000000000000000000005e4de4';

function toWireTransaction(
  { chainId, number, hash: blockHash }: Place,
  tx: TxSpec,
  index: number,
): WireTransaction {
  const hash = tx.hash ?? digest(`transaction ${blockHash} ${index}`);
  return {
    blockHash,
    blockNumber: toHex(number),
    from: (tx.from ?? someone).toLowerCase(),
    gas: toHex((tx.gasUsed ?? 21_000) * 2),
    gasPrice: '0x77359400',
    maxFeePerGas: '0xb2d05e00',
    maxPriorityFeePerGas: '0x3b9aca00',
    hash,
    input: tx.input ?? '0x',
    nonce: toHex(tx.nonce ?? number),
    to: tx.to === undefined ? someone : (tx.to?.toLowerCase() ?? null),
    transactionIndex: toHex(index),
    value: toHex(tx.value ?? 0n),
    type: '0x2',
    accessList: [],
    chainId: toHex(chainId),
    v: '0x1',
    r: digest(`r ${hash}`),
    s: digest(`s ${hash}`),
    yParity: '0x1',
    ...tx.signed,
  };
}

function toWireLogs(
  place: Place,
  txs: readonly TxSpec[],
  transactions: readonly WireTransaction[],
): WireLog[] {
  const logs: WireLog[] = [];
  txs.forEach((tx, index) => {
    for (const { address, topics, data = '0x' } of tx.logs ?? [])
      logs.push({
        address: address.toLowerCase(),
        topics,
        data,
        blockNumber: toHex(place.number),
        blockHash: place.hash,
        blockTimestamp: toHex(place.timestamp),
        transactionHash: transactions[index]!.hash,
        transactionIndex: toHex(index),
        logIndex: toHex(logs.length),
        removed: false,
      });
  });
  return logs;
}
