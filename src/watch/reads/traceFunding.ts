import type { Block, BlockFrames, Transaction } from '../../model/block.ts';
import { followedFunding } from '../../model/followedFunding.ts';
import { movesCoins } from '../../model/frames.ts';
import type { FundedAddress } from '../../store/watch/funding.ts';

/** Labelled addresses such as mixers and bridges, with their tags. */
export type Sources = ReadonlyMap<string, readonly string[]>;

/** Looked up for every payment of a block, so it must be in memory. */
export type Funded = { get(address: string): FundedAddress | undefined };

/** An account that sent more transactions is an exchange or a bot, whose recipients have nothing to do with its senders. */
const maxNonce = 1000;
/** An address that is paid repeatedly is recorded once in this time. */
const renewalMs = 3_600_000;

/**
 * Addresses that a block funds from a labelled source, directly or by plain payments of funded accounts. Hops never
 * lead through contracts, which sign nothing. Failed payments count, because only receipts show the failure.
 */
export function traceFunding(block: Block, sources: Sources, funded: Funded): FundedAddress[] {
  if (sources.size === 0) return [];
  const { found, nearest, record } = openRecord(block, sources, funded);

  /** A payment that a funded account signed itself. */
  function hop(transaction: Transaction, to: string): void {
    const origin = nearest(transaction.from);
    if (
      !origin ||
      origin.hops >= followedFunding.maxHops ||
      transaction.nonce >= maxNonce ||
      to === transaction.from
    )
      return;
    record(transaction, to, { source: origin.source, tags: origin.tags, hops: origin.hops + 1 });
  }

  const isSource = (address: string) => sources.has(address);
  for (const transaction of block.transactions) {
    for (const { from, to, isDirect } of transaction.payments(isSource)) {
      const tags = sources.get(from);
      if (tags) record(transaction, to, { source: from, tags, hops: 1 });
      else if (isDirect) hop(transaction, to);
    }
  }
  return [...found.values()];
}

/**
 * The addresses that labelled sources pay within the transactions of a block without an event. Hops are not followed
 * here, because an account signs them itself.
 */
export function traceInnerFunding(
  block: Block,
  frames: BlockFrames,
  sources: Sources,
  funded: Funded,
): FundedAddress[] {
  if (sources.size === 0) return [];
  const { found, record } = openRecord(block, sources, funded);
  for (const transaction of block.transactions)
    for (const frame of frames[transaction.index] ?? []) {
      const tags = sources.get(frame.from);
      if (!tags || frame.to === '' || frame.to === zeroAddress || !movesCoins(frame)) continue;
      // If an event names the recipient, the other payments are fees of relayers.
      if (!reportsPayment(transaction, sources))
        record(transaction, frame.to, { source: frame.from, tags, hops: 1 });
    }
  return [...found.values()];
}

function reportsPayment(transaction: Transaction, sources: Sources): boolean {
  for (const { from } of transaction.payments((address) => sources.has(address)))
    if (sources.has(from)) return true;
  return false;
}

/** Transactions of a block whose traces are asked for; each costs its sender gas. */
const maxSuspects = 32;

/**
 * Transactions that call a source or contain a log of it, without an event that names a recipient. Bridges are left out,
 * because they take part in many and report their payments.
 */
export function findSuspects(block: Block, sources: Sources): Transaction[] {
  if (sources.size === 0) return [];
  const isHiding = (address: string | null) =>
    address !== null && sources.get(address)?.some((tag) => tag !== 'BRIDGE') === true;
  return block.transactions
    .filter(
      (transaction) =>
        (isHiding(transaction.to) || transaction.logs.some(({ address }) => isHiding(address))) &&
        !reportsPayment(transaction, sources),
    )
    .slice(0, maxSuspects);
}

function openRecord(block: Block, sources: Sources, funded: Funded) {
  const found = new Map<string, FundedAddress>();
  const nearest = (address: string) => found.get(address) ?? funded.get(address);

  function record(
    transaction: Transaction,
    to: string,
    { source, tags, hops }: Pick<FundedAddress, 'source' | 'tags' | 'hops'>,
  ): void {
    if (sources.has(to)) return;
    const earlier = nearest(to);
    const isNew =
      !earlier ||
      hops < earlier.hops ||
      (hops === earlier.hops && block.timestamp - earlier.timestamp >= renewalMs);
    if (!isNew) return;
    found.set(to, {
      address: to,
      source,
      tags,
      hops,
      transactionHash: transaction.hash,
      blockNumber: block.number,
      timestamp: block.timestamp,
    });
  }

  return { found, nearest, record };
}

const zeroAddress = `0x${'0'.repeat(40)}`;
