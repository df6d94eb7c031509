import type { Block, Transaction } from '../model/block.ts';
import { followedFunding } from '../model/followedFunding.ts';
import type { FundedAddress } from '../store/watch/funding.ts';

/** Labelled addresses such as mixers and bridges, with their tags. */
export type Sources = ReadonlyMap<string, readonly string[]>;

/** Looked up for every transaction and log of a block, so it must answer at once. */
export type Funded = { get(address: string): FundedAddress | undefined };

/** Who has sent so many transactions is an exchange or a bot, whose recipients have nothing to do with its senders. */
const mostNonce = 1000;
/** An address that is paid again and again is noted once in this time. */
const renewalMs = 3_600_000;

/**
 * The addresses that a block brings money from a source, straight or over accounts that were paid from one.
 *
 * Money goes on only by plain payments that a funded account signs itself. Whether an address has code would have to be asked
 * of the node, but a contract signs nothing: so exchanges' contracts, pools and tokens are never hopped over, and what is
 * paid on by smart wallets is not followed. Failed payments of funded accounts are taken for real ones, because only their
 * receipts would tell.
 */
export function traceFunding(block: Block, sources: Sources, funded: Funded): FundedAddress[] {
  if (sources.size === 0) return [];
  const brought = new Map<string, FundedAddress>();
  const nearest = (address: string) => brought.get(address) ?? funded.get(address);

  function note(
    transaction: Transaction,
    to: string,
    { source, tags, hops }: Pick<FundedAddress, 'source' | 'tags' | 'hops'>,
  ): void {
    if (sources.has(to)) return;
    const known = nearest(to);
    const isNews =
      !known || hops < known.hops || (hops === known.hops && block.timestamp - known.timestamp >= renewalMs);
    if (!isNews) return;
    brought.set(to, {
      address: to,
      source,
      tags,
      hops,
      transactionHash: transaction.hash,
      blockNumber: block.number,
      timestamp: block.timestamp,
    });
  }

  /** A payment that a funded account has signed itself. */
  function hop(transaction: Transaction, to: string): void {
    const origin = nearest(transaction.from);
    if (
      !origin ||
      origin.hops >= followedFunding.maxHops ||
      transaction.nonce >= mostNonce ||
      to === transaction.from
    )
      return;
    note(transaction, to, { source: origin.source, tags: origin.tags, hops: origin.hops + 1 });
  }

  const isSource = (address: string) => sources.has(address);
  for (const transaction of block.transactions) {
    for (const { from, to, isDirect } of transaction.payments(isSource)) {
      const tags = sources.get(from);
      if (tags) note(transaction, to, { source: from, tags, hops: 1 });
      else if (isDirect) hop(transaction, to);
    }
  }
  return [...brought.values()];
}
