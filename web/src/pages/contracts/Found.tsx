import { Address } from '../../parts/Address.tsx';
import { Badge } from '../../parts/Badge.tsx';
import { chainOf } from '../../state/names.ts';
import { type Inspected, kindTitles } from './kindTitles.ts';

export type FoundProps = {
  inspected: readonly Inspected[];
  chainUid: string;
  onChoose(chainUid: Inspected['chainUid']): void;
};

/** Where the address has code and what it is there; one of the chains is chosen. */
export function Found({ inspected, chainUid, onChoose }: FoundProps) {
  const found = inspected.filter(({ hasCode }) => hasCode);
  const failed = inspected.filter(({ fault }) => fault !== null);
  const names = (list: readonly Inspected[]) =>
    list.map(({ chainUid }) => chainOf(chainUid)?.name ?? chainUid).join(', ');
  return (
    <div class="stack" role="status">
      {found.length === 0 && failed.length < inspected.length && (
        <p class="notice">
          There is no contract at this address on {names(inspected.filter(({ fault }) => fault === null))}: it
          is a wallet, or not used yet.
        </p>
      )}
      {found.length > 0 && (
        <fieldset class="stack">
          <legend class="hide-visually">Where it is</legend>
          {found.map((one) => (
            <div class="choice" key={one.chainUid}>
              <input
                id={`found-${one.chainUid}`}
                type="radio"
                name="found"
                checked={one.chainUid === chainUid}
                onChange={() => onChoose(one.chainUid)}
              />
              <What one={one} />
            </div>
          ))}
        </fieldset>
      )}
      {failed.length > 0 && (
        <p class="notice warn foreign">
          {names(failed)} could not be looked at. {failed[0]?.fault}
        </p>
      )}
    </div>
  );
}

function What({ one }: { one: Inspected }) {
  const { chainUid, kinds, implementation, proxyKind, abi } = one;
  const { owner, threshold, owners } = one.facts;
  return (
    <span class="stack tight">
      <label class="row" for={`found-${chainUid}`}>
        <strong class="foreign">{titleOf(one) ?? 'Contract'}</strong>
        <span class="dim">on {chainOf(chainUid)?.name ?? chainUid}</span>
      </label>
      <span class="row tight">
        {kinds.length === 0 && <span class="dim small">of no kind that Vigil recognises</span>}
        {kinds.map((kind) => (
          <Badge key={kind} tone="accent">
            {kindTitles[kind]}
          </Badge>
        ))}
      </span>
      {implementation && (
        <span class="small">
          {proxyKind} proxy of <Address value={implementation} chainUid={chainUid} />
        </span>
      )}
      {typeof owner === 'string' && (
        <span class="small">
          Owned by <Address value={owner} chainUid={chainUid} />
        </span>
      )}
      {typeof threshold === 'number' && Array.isArray(owners) && (
        <span class="small">
          {threshold} of {owners.length} owners sign
        </span>
      )}
      {abi && (
        <span class="dim small foreign">
          {abi.items} functions and events, as {abi.source} knows them
        </span>
      )}
    </span>
  );
}

/** What the contract calls itself. */
export function titleOf({ facts: { name, symbol, description } }: Inspected): string | undefined {
  const title = [name, description].find((text) => typeof text === 'string' && text.trim() !== '');
  if (typeof title !== 'string') return undefined;
  return `${title}${typeof symbol === 'string' && symbol !== title ? ` (${symbol})` : ''}`.slice(0, 100);
}
