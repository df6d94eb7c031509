import type { Arrival } from './arrival.ts';
import type { SignedTx } from './parseTransaction.ts';

/**
 * gap: a later nonce arrived and this one never did; payload: two transactions with this nonce do different things;
 * bump: one replaces another for less than 10 % more.
 */
export type NonceFault = { type: 'gap' | 'payload' | 'bump'; from: string; nonce: number; hashes: string[] };

/** What was wrong with all that was sent. A transaction lost on the way counts as signed, and closes no gap. */
export function nonceFaults(arrivals: readonly Arrival[]): NonceFault[] {
  const senders = new Map<string, Map<number, Arrival[]>>();
  for (const arrival of arrivals) {
    const { from, nonce } = arrival.tx;
    const slots = senders.get(from) ?? new Map<number, Arrival[]>();
    senders.set(from, slots.set(nonce, [...(slots.get(nonce) ?? []), arrival]));
  }
  return [...senders].flatMap(([from, slots]) => [
    ...findGaps(from, slots),
    ...[...slots.values()].flatMap((slot) => compareRivals(distinct(slot))),
  ]);
}

function findGaps(from: string, slots: ReadonlyMap<number, readonly Arrival[]>): NonceFault[] {
  const arrived = new Set<number>();
  for (const [nonce, slot] of slots) if (slot.some(({ outcome }) => outcome !== 'lost')) arrived.add(nonce);
  const last = Math.max(-1, ...arrived);
  const missing = Array.from({ length: last + 1 }, (_, nonce) => nonce).filter(
    (nonce) => !arrived.has(nonce),
  );
  return missing.map((nonce) => ({ type: 'gap', from, nonce, hashes: [] }));
}

const distinct = (slot: readonly Arrival[]): SignedTx[] => [
  ...new Map(slot.map(({ tx }) => [tx.hash, tx])).values(),
];

/** By price and not by time, because the network may bring the older one later. */
function compareRivals(rivals: SignedTx[]): NonceFault[] {
  rivals.sort((a, b) => (a.maxFee < b.maxFee ? -1 : a.maxFee > b.maxFee ? 1 : 0));
  return rivals.slice(1).flatMap((tx, place) => {
    const cheaper = rivals[place]!;
    const fault = { from: tx.from, nonce: tx.nonce, hashes: [cheaper.hash, tx.hash] };
    return [
      ...(isSamePayload(tx, cheaper) ? [] : [{ ...fault, type: 'payload' as const }]),
      ...(isEnoughMore(tx, cheaper) ? [] : [{ ...fault, type: 'bump' as const }]),
    ];
  });
}

const isSamePayload = (a: SignedTx, b: SignedTx): boolean =>
  a.to === b.to && a.data === b.data && a.value === b.value;

/** As nodes want it of a replacement: both prices, 10 % each. */
export const isEnoughMore = (tx: SignedTx, rival: SignedTx): boolean =>
  tx.maxFee * 10n >= rival.maxFee * 11n && tx.tip * 10n >= rival.tip * 11n;
