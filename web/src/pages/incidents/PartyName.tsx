import { shorten } from '../../state/format.ts';
import { href } from '../../state/route.ts';
import type { Parties } from './story.ts';

/** An address by its name, with the tags that make it suspicious; a contract of one's own is a link. */
export function PartyName({ address, parties }: { address: string; parties: Parties }) {
  const party = parties.get(address);
  if (!party)
    return (
      <span class="mono foreign" title={address}>
        {address === 'unknown' ? 'unknown' : shorten(address)}
      </span>
    );
  const name = party.name.slice(0, 80);
  return (
    <span class="party">
      {party.contractId === null ? (
        <strong class="foreign" title={address}>
          {name}
        </strong>
      ) : (
        <a class="foreign" href={href(`/contracts/${party.contractId}`)} title={address}>
          {name}
        </a>
      )}
      {party.tags.slice(0, 2).map((tag) => (
        <span class="tag foreign" key={tag}>
          {tag}
        </span>
      ))}
    </span>
  );
}
