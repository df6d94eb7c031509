import type { Block, Frame, Transaction } from '../model/block.ts';
import { matchInnerCreation } from './matchCreation.ts';
import { addAll, addObservation, type Matches } from './matches.ts';
import type { Subscriber } from './subscriber.ts';
import { anyKey, type SubscriptionEntry, subscribersFor } from './subscriptions.ts';

/** Frames between two turns of others. */
const turnFrames = 1024;

/**
 * Matches of one transaction's frames, yielding between them; `traced` and `named` are the entries with an interest in
 * frames and in creations.
 */
export function* matchFrames(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  frames: readonly Frame[],
  traced: ReadonlyMap<string, SubscriptionEntry>,
  named: ReadonlyMap<string, SubscriptionEntry>,
): Generator<undefined, void> {
  const touched = new Set<SubscriptionEntry>();
  const shown = new Set<SubscriptionEntry>();
  for (const [position, frame] of frames.entries()) {
    // Looking through the code of a creation takes as long as many calls.
    if (frame.mentions || position % turnFrames === turnFrames - 1) yield;
    const from = traced.get(frame.from);
    const to = traced.get(frame.to);
    if (from) touched.add(from);
    if (to) touched.add(to);
    if (frame.depth > 0) {
      if (from || to) matchFrame(matches, block, transaction, frames, position, from, to);
      if (frame.mentions && named.size > 0)
        matchInnerCreation(matches, block, transaction, frame, position, named);
    } else {
      if (from) shown.add(from);
      if (to) shown.add(to);
    }
  }
  for (const log of transaction.logs)
    for (const address of [log.address, ...log.parties]) {
      const entry = traced.get(address);
      if (!entry) continue;
      touched.add(entry);
      shown.add(entry);
    }
  for (const entry of touched) {
    for (const subscriber of subscribersFor(entry, 'trace'))
      addObservation(matches, subscriber, { type: 'trace', block, transaction, frames });
    if (!shown.has(entry))
      for (const subscriber of subscribersFor(entry, 'touch', anyKey, true))
        addObservation(matches, subscriber, { type: 'transaction', block, transaction });
  }
}

/** An inner call of one of these addresses, and the coins that it moves; what was reverted never happened. */
function matchFrame(
  matches: Matches,
  block: Block,
  transaction: Transaction,
  frames: readonly Frame[],
  position: number,
  from: SubscriptionEntry | undefined,
  to: SubscriptionEntry | undefined,
): void {
  const {
    type,
    from: caller,
    to: contract,
    value,
    input,
    inputLength,
    depth,
    isReverted,
  } = frames[position]!;
  const isCut = inputLength !== undefined;
  if (isReverted) return;
  const key = input.slice(0, 10);
  if (to && type === 'CALL')
    for (const subscriber of new Set(subscribersFor(to, 'call', key, true)))
      addObservation(matches, subscriber, {
        type: 'call',
        block,
        transaction,
        call: { contract, key, input, position, caller, value, depth, ...(isCut && { isCut }) },
        frames,
      });
  if (value === 0n || type === 'CALLCODE') return;
  const interested = new Set<Subscriber>();
  for (const entry of [from, to])
    if (entry) addAll(interested, subscribersFor(entry, 'transfer', anyKey, true));
  for (const subscriber of interested)
    addObservation(matches, subscriber, {
      type: 'transfer',
      block,
      transaction,
      transfer: { asset: 'native', from: caller, to: contract, amount: value },
      position,
      frames,
    });
}
