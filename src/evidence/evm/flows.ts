import { decodeTransfer } from '../../codecs/evm/erc20Transfer.ts';
import type { Block } from '../../model/block.ts';
import type { Reader } from '../../model/detection.ts';
import { type AssetFacts, formatUnits, native, showAmount } from '../amounts.ts';
import { assetMoves, coinMoves } from '../coinMoves.ts';

/**
 * The movement of one transaction between the holder and a counterparty; without an amount where only a trace would
 * show it.
 */
export type Flow = {
  readonly transactionHash: string;
  readonly counterparty: string;
  readonly direction: 'in' | 'out';
  readonly amount?: bigint;
};

const maxFlows = 3;

/**
 * The transactions of a block that explain a changed holding, largest first. Coins of inner calls show in no log: if
 * nothing else explains the change, the transactions that touched the holder are named.
 */
export function findFlows(
  read: Reader,
  block: Block,
  asset: string,
  holder: string,
  wanted: 'out' | 'any' = 'any',
): Flow[] {
  const isWanted = ({ direction }: Flow) => wanted === 'any' || direction === wanted;
  if (asset !== native && asset.startsWith('0x'))
    return largest(tokenFlows(block, asset, holder).filter(isWanted));
  const paid = block.transactions.flatMap((transaction) => {
    const { senders, recipients } = transaction.parties ?? {};
    if (senders && recipients && !senders.has(holder) && !recipients.has(holder)) return [];
    const moves = transaction.parties
      ? assetMoves(transaction, holder).filter((move) => move.asset === asset)
      : coinMoves(transaction, holder);
    return moves.flatMap(({ from, to, amount }): Flow[] => {
      if (amount === 0n || from === to || (from !== holder && to !== holder)) return [];
      const isOut = from === holder;
      return [
        {
          transactionHash: transaction.hash,
          counterparty: isOut ? to : from,
          direction: isOut ? 'out' : 'in',
          amount,
        },
      ];
    });
  });
  const candidates = largest(paid.filter(isWanted));
  const receipts = read.all(
    candidates.map(
      ({ transactionHash }) =>
        () =>
          read.optional(() => read.receipt(transactionHash)),
    ),
  );
  // A failed transaction has paid nothing.
  const flows = candidates.filter((_, index) => receipts[index]?.isSuccess !== false);
  return flows.length > 0 ? flows : touching(block, holder);
}

function tokenFlows({ logs }: Block, token: string, holder: string): Flow[] {
  const sums = new Map<string, { transactionHash: string; counterparty: string; net: bigint }>();
  for (const log of logs) {
    const transfer = log.address === token ? decodeTransfer(log) : undefined;
    if (!transfer || transfer.from === transfer.to) continue;
    const isOut = transfer.from === holder;
    if (!isOut && transfer.to !== holder) continue;
    const counterparty = isOut ? transfer.to : transfer.from;
    const key = `${log.transactionHash} ${counterparty}`;
    const net = (sums.get(key)?.net ?? 0n) + (isOut ? -transfer.amount : transfer.amount);
    sums.set(key, { transactionHash: log.transactionHash, counterparty, net });
  }
  return Array.from(sums.values(), ({ net, ...rest }) => ({
    ...rest,
    direction: net < 0n ? ('out' as const) : ('in' as const),
    amount: net < 0n ? -net : net,
  })).filter(({ amount }) => amount > 0n);
}

function largest<T extends Flow>(flows: readonly T[]): T[] {
  const rank = ({ amount = 0n }: Flow) => amount;
  return flows.toSorted((a, b) => (rank(a) < rank(b) ? 1 : rank(a) > rank(b) ? -1 : 0)).slice(0, maxFlows);
}

function touching({ transactions }: Block, holder: string): Flow[] {
  return transactions
    .filter(
      ({ from, to, logs }) =>
        from === holder ||
        to === holder ||
        logs.some(({ address, parties }) => address === holder || parties.includes(holder)),
    )
    .slice(0, maxFlows)
    .map(({ hash, from }) => ({ transactionHash: hash, counterparty: from, direction: 'out' }));
}

/** As a sentence of its own after another; nothing where nothing explains it. */
export function showFlows(flows: readonly Flow[], facts: AssetFacts): string {
  const shown = flows.map(({ transactionHash, counterparty, direction, amount }) =>
    amount === undefined
      ? `transaction ${transactionHash} of ${counterparty} touched it`
      : `${showAmount(amount, facts)} ${direction === 'out' ? 'to' : 'from'} ${counterparty} in transaction ${transactionHash}`,
  );
  return shown.length === 0 ? '' : ` In this block: ${shown.join('; ')}.`;
}

/** As evidence. */
export function toFlowEvidence(flows: readonly Flow[], { decimals }: AssetFacts) {
  return flows.map(({ transactionHash, counterparty, direction, amount }) => ({
    txHash: transactionHash,
    counterparty,
    direction,
    ...(amount === undefined ? {} : { amount: formatUnits(amount, decimals) }),
  }));
}

/** The transaction that moved at least half of it, to which the finding then belongs. */
export function mainTransaction(flows: readonly Flow[], moved: bigint): { transactionHash?: string } {
  const [first] = flows;
  return first?.amount !== undefined && first.amount * 2n >= moved
    ? { transactionHash: first.transactionHash }
    : {};
}
