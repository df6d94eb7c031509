import type { Block, Log, Transaction } from '../model/block.ts';
import type { Observation } from '../model/detection.ts';
import { addAll, addObservation, type Matches } from './matches.ts';
import type { Subscriber } from './subscriber.ts';
import { type AddressInterest, type SubscriptionEntry, subscribersFor } from './subscriptions.ts';

/** First the transaction itself, then its logs, calls, transfers and changes; each once for every subscriber. */
export function matchTransaction(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  touched: ReadonlySet<SubscriptionEntry>,
): void {
  const interested = new Set<Subscriber>();
  for (const entry of touched) {
    addAll(interested, subscribersFor(entry, 'touch'));
    const { from, parties } = transaction;
    const to = transaction.to ?? paidCreation(transaction);
    if (parties ? parties.senders.has(entry.address) : entry.address === from)
      addAll(interested, subscribersFor(entry, 'sender'));
    // Shows every call of a transaction by itself.
    if (!transaction.calls && (parties ? parties.recipients.has(entry.address) : entry.address === to))
      addAll(interested, subscribersFor(entry, 'call', transaction.callKey));
  }
  for (const subscriber of interested)
    addObservation(matches, subscriber, { type: 'transaction', block, transaction });
  for (const log of transaction.logs) matchLog(matches, block, transaction, log, touched);
  if (transaction.parties || transaction.changes?.length) matchParts(matches, block, transaction, touched);
}

/** A contract that is given coins as it is created. */
function paidCreation({ created, value }: Transaction): string | undefined {
  return created !== undefined && value > 0n ? created : undefined;
}

/** Decoded only where someone has an interest in them. */
function matchParts(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  touched: ReadonlySet<SubscriptionEntry>,
): void {
  const show = (observation: Observation, find: (entry: SubscriptionEntry) => readonly Subscriber[]) => {
    const interested = new Set<Subscriber>();
    for (const entry of touched) addAll(interested, find(entry));
    for (const subscriber of interested) addObservation(matches, subscriber, observation);
  };
  const isWanted = (on: AddressInterest['on']) =>
    [...touched].some(({ subscriptions }) => subscriptions.some(({ interest }) => interest.on === on));
  if (isWanted('call'))
    for (const call of transaction.calls ?? [])
      show({ type: 'call', block, transaction, call }, (entry) =>
        entry.address === call.contract ? subscribersFor(entry, 'call', call.key) : [],
      );
  if (isWanted('transfer'))
    for (const [position, transfer] of transaction.transfers.entries())
      show({ type: 'transfer', block, transaction, transfer, position }, (entry) =>
        [transfer.asset, transfer.from, transfer.to].includes(entry.address)
          ? subscribersFor(entry, 'transfer')
          : [],
      );
  if (isWanted('change'))
    for (const change of transaction.changes ?? [])
      show({ type: 'change', block, transaction, change }, (entry) =>
        entry.address === change.subject ? subscribersFor(entry, 'change', change.what) : [],
      );
}

function matchLog(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  log: Log,
  touched: ReadonlySet<SubscriptionEntry>,
): void {
  const interested = new Set<Subscriber>();
  for (const entry of touched) {
    if (entry.address === log.address) addAll(interested, subscribersFor(entry, 'log', log.key));
    const named = subscribersFor(entry, 'party', log.key);
    if (named.length > 0 && log.parties.includes(entry.address)) addAll(interested, named);
  }
  for (const subscriber of interested)
    addObservation(matches, subscriber, { type: 'log', block, transaction, log });
}
