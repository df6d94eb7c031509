import { decodeTransfer } from '../../../codecs/evm/erc20Transfer.ts';
import { native } from '../../../evidence/amounts.ts';
import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import type { BlockRef, Frame, Transaction } from '../../../model/block.ts';
import { movesCoins } from '../../../model/frames.ts';

/** Coins or tokens that went from one address to another, summed over the transaction. */
type TransactionMove = { readonly from: string; readonly to: string; readonly asset: string; amount: bigint };

/** A transaction as the story of an incident needs it. */
export type TransactionDigest = {
  readonly txHash: string;
  readonly block: BlockRef;
  readonly timestamp: number;
  readonly from: string;
  readonly to: string | null;
  readonly isReverted: boolean;
  /** False where no node traces: coins of inner calls are missing. */
  readonly isTraced: boolean;
  readonly moves: readonly TransactionMove[];
  /** Moves beyond the bound. */
  readonly leftOut: number;
  /** Contracts that it created. */
  readonly created: readonly string[];
};

/** Pairs of addresses and asset that are kept: anyone can pay a hundred thousand in one transaction. */
const maxMoves = 2000;
const maxCreated = 20;
const turnItems = 1024;

/** Sums coins by frames without reverts, and tokens by logs; `frames` is undefined where no node traces. */
export async function digestTransaction(
  block: BlockRef & { timestamp: number },
  transaction: Transaction,
  frames: readonly Frame[] | undefined,
  isReverted: boolean,
): Promise<TransactionDigest> {
  const moves = new Map<string, TransactionMove>();
  let leftOut = 0;
  const add = (from: string, to: string, asset: string, amount: bigint) => {
    if (amount === 0n || from === to) return;
    const key = `${from} ${to} ${asset}`;
    const move = moves.get(key);
    if (move) move.amount += amount;
    else if (moves.size < maxMoves) moves.set(key, { from, to, asset, amount });
    else leftOut += 1;
  };
  const created: string[] = [];
  for (const [index, frame] of (frames ?? []).entries()) {
    if (index % turnItems === 0) await yieldToEventLoop();
    if (movesCoins(frame) && frame.to !== '') add(frame.from, frame.to, native, frame.value);
    if (frame.type.startsWith('CREATE') && !frame.isReverted && frame.to && created.length < maxCreated)
      created.push(frame.to);
  }
  const { from, to, value, logs, hash } = transaction;
  if (!frames && !isReverted && to !== null) add(from, to, native, value);
  for (const [index, log] of logs.entries()) {
    if (index % turnItems === 0) await yieldToEventLoop();
    const transfer = decodeTransfer(log);
    if (transfer) add(transfer.from, transfer.to, log.address, transfer.amount);
  }
  if (!frames && transaction.created) created.push(transaction.created);
  return {
    txHash: hash,
    block: { number: block.number, hash: block.hash },
    timestamp: block.timestamp,
    from,
    to,
    isReverted,
    isTraced: frames !== undefined,
    moves: [...moves.values()],
    leftOut,
    created,
  };
}
