import { eventTopic, topicAddress, wordAt } from '../lib/abi.ts';
import type { Block, Log, Transaction } from '../model/block.ts';
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
    if (sources.has(to) || to === zeroAddress) return;
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
      origin.hops >= followedFunding.mostHops ||
      transaction.nonce >= mostNonce ||
      to === transaction.from
    )
      return;
    note(transaction, to, { source: origin.source, tags: origin.tags, hops: origin.hops + 1 });
  }

  for (const transaction of block.transactions) {
    const { from, to, value, input } = transaction;
    if (to !== null && value > 0n) {
      const tags = sources.get(from);
      if (tags) note(transaction, to, { source: from, tags, hops: 1 });
      else if (input === '0x') hop(transaction, to);
    }
    for (const log of transaction.logs) {
      const named = recipientOf(log, sources);
      if (named) note(transaction, named.to, named);
      const sender = tokenSender(log);
      const tags = sender && sources.get(sender);
      if (tags) {
        // Anybody can write a token whose logs name a mixer as sender; in a real transfer the mixer takes part.
        if (isAmount(log) && takesPart(sender, transaction))
          note(transaction, topicAddress(log.topics[2]!), { source: sender, tags, hops: 1 });
      } else if (sender === from && log.address === to && isAmount(log))
        hop(transaction, topicAddress(log.topics[2]!));
    }
  }
  return [...brought.values()];
}

const zeroAddress = `0x${'0'.repeat(40)}`;

/** Events by which a source tells whom it pays native coins, and where in them the recipient stands. */
const payments = new Map<string, (log: Log) => string | undefined>([
  // Tornado Cash: Withdrawal(address to, bytes32 nullifierHash, address indexed relayer, uint256 fee)
  [eventTopic('Withdrawal(address,bytes32,address,uint256)'), ({ data }) => addressIn(data)],
  // Bridges of the OP stack: ETHBridgeFinalized(address indexed from, address indexed to, uint256 amount, bytes extraData)
  [
    eventTopic('ETHBridgeFinalized(address,address,uint256,bytes)'),
    ({ topics }) => (topics[2] === undefined ? undefined : topicAddress(topics[2])),
  ],
]);

function addressIn(data: string): string | undefined {
  return data.length >= 66 ? `0x${data.slice(26, 66)}` : undefined;
}

function recipientOf(log: Log, sources: Sources) {
  const tags = sources.get(log.address);
  const to = tags && payments.get(log.topics[0] ?? '')?.(log);
  return tags && to ? { to, source: log.address, tags, hops: 1 } : undefined;
}

const transferTopic = eventTopic('Transfer(address,address,uint256)');

/** Who sends tokens by this log, if it is of a transfer. */
function tokenSender({ topics }: Log): string | undefined {
  return topics.length === 3 && topics[0] === transferTopic ? topicAddress(topics[1]!) : undefined;
}

function isAmount({ data }: Log): boolean {
  return data.length === 66 && wordAt(data, 0) > 0n;
}

function takesPart(address: string, { from, to, logs }: Transaction): boolean {
  return from === address || to === address || logs.some((log) => log.address === address);
}
