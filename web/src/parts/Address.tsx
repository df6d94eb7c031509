import { shorten } from '../state/format.ts';
import { chainOf } from '../state/names.ts';
import { CopyButton } from './CopyButton.tsx';
import { Icon } from './Icon.tsx';

export type AddressProps = {
  value: string | null | undefined;
  chainUid?: string | null | undefined;
  /** What it is a link to at the explorer of its chain. */
  kind?: 'address' | 'transaction' | 'block';
  /** A name that is known for it, shown instead of its digits. */
  name?: string | null | undefined;
  whole?: boolean;
};

/** An address, transaction hash or block: short, with the whole text on hand and a link to the explorer of its chain. */
export function Address({ value, chainUid, kind = 'address', name, whole = false }: AddressProps) {
  if (!value) return <span class="dim">none</span>;
  const pattern = chainOf(chainUid)?.explorer?.[kind];
  return (
    <span class="address">
      {name && <span class="foreign">{name} </span>}
      <span class={`mono foreign${name ? ' dim' : ''}`} title={value}>
        {whole ? value : shorten(value, kind === 'transaction' ? 10 : 6, 4)}
      </span>
      <CopyButton key={value} text={value} label={`Copy ${value}`} />
      {pattern && (
        <a
          class="outside"
          href={pattern.replace('{}', encodeURIComponent(value))}
          target="_blank"
          rel="noreferrer noopener"
          title="Open at the block explorer"
        >
          <Icon name="outside" />
          <span class="hide-visually">Open {value} at the block explorer</span>
        </a>
      )}
    </span>
  );
}
