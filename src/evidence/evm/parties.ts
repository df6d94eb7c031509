import { decodeTransfer, transferTopic } from '../../codecs/evm/erc20Transfer.ts';
import { logWords, topicAddress, zeroAddress } from '../../codecs/evm/words.ts';
import { zip } from '../../lib/zip.ts';
import type { Log, Parties, Transaction } from '../../model/block.ts';
import type { ChainFacts, Reader } from '../../model/detection.ts';
import { formatUnits, native, showAmount } from '../amounts.ts';
import type { LabelHit } from '../labels.ts';
import { findKnownFeed } from './knownFeeds.ts';
import { multiTokenTopics } from './multiTokens.ts';

import { assetFacts } from './tokens.ts';
import type { Trust } from './vouchedBy.ts';

/** An address that interacts with the watched contract in a transaction, in the first role that applies. */
export type Party = {
  readonly address: string;
  readonly role: 'sender' | 'recipient' | 'tokenSender' | 'tokenRecipient';
  /** The logs of its transfers, for the roles of tokens. */
  readonly logs?: readonly Log[];
  /** The watched address and how much it got or gave, where a transaction has many parties. */
  readonly paid?: { readonly other: string; readonly asset: string; readonly amount: bigint };
};

/** The two ends of the transaction and of its token transfers that are of, from or to the watched address. */
export function partiesOf(transaction: Transaction, watched: string): Party[] {
  const { from, to, logs } = transaction;
  if (transaction.parties) return manyParties(transaction, transaction.parties, watched);
  const parties = new Map<string, Party & { logs?: Log[] }>();
  const add = ({ log, ...party }: Omit<Party, 'logs'> & { log?: Log }) => {
    if (party.address === watched || party.address === zeroAddress) return;
    const cached = parties.get(party.address);
    if (!cached) parties.set(party.address, { ...party, ...(log && { logs: [log] }) });
    // A made-up transfer before a real one must not hide it.
    else if (log && cached.logs) cached.logs.push(log);
  };
  add({ address: from, role: 'sender' });
  if (to !== null) add({ address: to, role: 'recipient' });
  for (const log of logs) {
    const ends = endsOf(log);
    if (!ends || ![log.address, ...ends].includes(watched)) continue;
    add({ address: ends[0], role: 'tokenSender', log });
    add({ address: ends[1], role: 'tokenRecipient', log });
  }
  return [...parties.values()];
}

/** All who pay beside or to the watched address, and those whom it pays: others who are paid at once have nothing to do with it. */
function manyParties({ transfers }: Transaction, { senders, recipients }: Parties, watched: string): Party[] {
  const paidBy = (address: string, end: 'from' | 'to') => {
    const payments = transfers.filter((transfer) => transfer[end] === address);
    const asset = payments[0]?.asset ?? native;
    const amount = payments.reduce(
      (sum, payment) => sum + (payment.asset === asset ? payment.amount : 0n),
      0n,
    );
    return { other: watched, asset, amount };
  };
  const traded = transfers.filter(({ asset }) => asset === watched);
  if (traded.length > 0)
    return traded
      .flatMap(({ asset, from, to, amount }): Party[] => [
        ...(from === null
          ? []
          : [
              { address: from, role: 'tokenSender', paid: { other: to ?? 'no one', asset, amount } } as const,
            ]),
        ...(to === null
          ? []
          : [
              {
                address: to,
                role: 'tokenRecipient',
                paid: { other: from ?? 'the mint', asset, amount },
              } as const,
            ]),
      ])
      .filter(({ address }, index, all) => all.findIndex((party) => party.address === address) === index);
  return [
    ...Array.from(senders, (address): Party => ({ address, role: 'sender', paid: paidBy(address, 'from') })),
    ...Array.from(senders.has(watched) ? recipients : []).flatMap((address): Party[] =>
      senders.has(address) ? [] : [{ address, role: 'recipient', paid: paidBy(address, 'to') }],
    ),
  ].filter(({ address }) => address !== watched);
}

/** Sender and recipient of a transfer of an ERC-20, ERC-721 or ERC-1155 token. */
export function endsOf(log: Log): [from: string, to: string] | undefined {
  const first = log.key === transferTopic ? 0 : multiTokenTopics.includes(log.key) ? 1 : undefined;
  if (first === undefined) return undefined;
  const words = logWords(log);
  const [from, to] = [words[first], words[first + 1]];
  return from === undefined || to === undefined ? undefined : [topicAddress(from), topicAddress(to)];
}

/** Hits reported of one transaction, the worst first; an airdrop to thousands must not become thousands of alerts. */
const maxHits = 20;

/** Describes the part of each party, with all reads together. */
export function describeHits(
  hits: readonly LabelHit<Party>[],
  transaction: Transaction,
  watched: string,
  read: Reader,
  chain: ChainFacts,
) {
  const shownHits = hits.slice(0, maxHits);
  const seen = read.all(
    shownHits.map(
      ({ party }) =>
        () =>
          findVoucher(party, transaction, watched, read, chain),
    ),
  );
  const activities = read.all(
    zip(shownHits, seen).map(
      ([{ party }, { log }]) =>
        () =>
          describeParty(party, log, transaction, read, chain),
    ),
  );
  return zip(shownHits, seen).map(([hit, { trust }], index) => {
    const { activity, fields } = activities[index]!;
    const isClaimed = trust === 'claimed';
    return {
      ...hit,
      activity: isClaimed ? `${activity}, as nothing but the token says` : activity,
      fields: { ...fields, unverified: isClaimed ? true : undefined },
      isClaimed,
    };
  });
}

/**
 * The decisive transfer of a party. Tokens can report any payer, so it counts if the token is watched, has a price, was
 * called by the payer, or nothing is traced.
 */
function findVoucher(
  { logs = [] }: Party,
  { hash, from, to }: Transaction,
  watched: string,
  read: Reader,
  chain: ChainFacts,
): { log: Log | undefined; trust: Trust } {
  const [first] = logs;
  const certain = logs.find(
    (log) =>
      log.address === watched ||
      findKnownFeed(chain.uid, log.address) !== undefined ||
      (log.address === to && endsOf(log)?.[0] === from),
  );
  if (!first || certain) return { log: certain ?? first, trust: 'known' };
  const calls = read.degradable(() => read.trace(hash));
  if (!calls) return { log: first, trust: 'untraced' };
  const made = new Set(
    calls.flatMap(({ type, from: by, to: of }) => (type === 'CALL' ? [`${by} ${of}`] : [])),
  );
  const vouched = logs.find((log) => made.has(`${endsOf(log)?.[0]} ${log.address}`));
  return { log: vouched ?? first, trust: vouched ? 'known' : 'claimed' };
}

/** Members of a party's evidence. */
export const partyFields = ['role', 'from', 'to', 'token', 'symbol', 'value', 'amount', 'unverified'];

/** The part of a party in a transaction, as the end of a sentence and as evidence. */
function describeParty(
  { address, role, paid }: Party,
  log: Log | undefined,
  transaction: Transaction,
  read: Reader,
  chain: ChainFacts,
): { activity: string; fields: Readonly<Record<string, unknown>> } {
  const isGiver = role === 'sender' || role === 'tokenSender';
  const [from, to] = paid
    ? isGiver
      ? [address, paid.other]
      : [paid.other, address]
    : ((log && endsOf(log)) ?? [transaction.from, transaction.to ?? 'a new contract']);
  const token = log?.address ?? paid?.asset ?? native;
  const units = paid ? paid.amount : log ? decodeTransfer(log)?.amount : transaction.value;
  const sentence = (what: string) => (isGiver ? `sent ${what} to ${to}` : `received ${what} from ${from}`);
  const fields = { role, from, to, token };
  if (units === undefined) return { activity: sentence(`tokens of ${token}`), fields };
  if (units === 0n && !log) return { activity: sentence('a call'), fields };
  const facts = assetFacts(read, chain, token);
  return {
    activity: sentence(showAmount(units, facts)),
    fields: { ...fields, symbol: facts.symbol, value: units, amount: formatUnits(units, facts.decimals) },
  };
}
