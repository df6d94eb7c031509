import type { NamedAddress } from '../../store/labels/nameAddresses.ts';

/** One row for each address: own contracts and wallets before labels, with the tags of all its labels. */
export function partiesOf(named: readonly NamedAddress[]) {
  const parties = new Map<string, NamedAddress>();
  for (const label of named) {
    const first = parties.get(label.address);
    const tags = [...new Set([...(first?.tags ?? []), ...label.tags])];
    const score = Math.max(first?.score ?? -1, label.score ?? -1);
    const best = first && (first.type !== 'label' || label.type === 'label') ? first : label;
    parties.set(label.address, { ...best, tags, score: score === -1 ? null : score });
  }
  return Array.from(parties.values(), ({ address, type, id, name, tags, score }) => ({
    address,
    type,
    name,
    contractId: id,
    tags,
    score,
  }));
}

export type KnownParty = ReturnType<typeof partiesOf>[number];
