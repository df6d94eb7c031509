import type { Block, Frame, Transaction } from '../model/block.ts';
import { addAll, addObservation, type Matches } from './matches.ts';
import type { Subscriber } from './subscriber.ts';
import { type SubscriptionEntry, subscribersFor } from './subscriptions.ts';

/** Contracts that a transaction creates, for those whom their code names. */
export function matchCreation(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  named: ReadonlyMap<string, SubscriptionEntry>,
): void {
  const { from: creator, input: code } = transaction;
  for (const subscriber of namedIn(named, transaction.mentions?.() ?? []))
    addObservation(matches, subscriber, {
      type: 'deployment',
      block,
      transaction,
      creation: { creator, contract: null, code },
      position: 0,
    });
}

/** The same for contracts that are created within a transaction. */
export function matchInnerCreation(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  { from: creator, to: contract, input: code, isReverted, mentions }: Frame,
  position: number,
  named: ReadonlyMap<string, SubscriptionEntry>,
): void {
  if (isReverted) return;
  for (const subscriber of namedIn(named, mentions?.() ?? []))
    addObservation(matches, subscriber, {
      type: 'deployment',
      block,
      transaction,
      creation: { creator, contract, code },
      position,
    });
}

function namedIn(
  named: ReadonlyMap<string, SubscriptionEntry>,
  addresses: readonly string[],
): Set<Subscriber> {
  const interested = new Set<Subscriber>();
  for (const address of addresses) {
    const entry = named.get(address);
    if (entry) addAll(interested, subscribersFor(entry, 'deployment'));
  }
  return interested;
}
