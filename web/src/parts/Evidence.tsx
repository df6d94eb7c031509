import { shorten, toLabel } from '../state/format.ts';
import { Address } from './Address.tsx';
import { Amount } from './Amount.tsx';
import { Marked } from './Marked.tsx';
import './Evidence.css';

export type EvidenceProps = {
  value: Readonly<Record<string, unknown>>;
  chainUid?: string | null;
  /** Names of addresses, by their lower-case text. */
  names?: ReadonlyMap<string, string>;
  /** Words for members, in place of their names. */
  titles?: Readonly<Record<string, string>>;
  /** Only the rows, for a list that is there already. */
  isBare?: boolean;
};

/** Members of a finding as people read them: addresses with their names, transactions as links, amounts grouped. */
export function Evidence({ value, chainUid, names, titles, isBare = false }: EvidenceProps) {
  const symbol = typeof value.symbol === 'string' ? value.symbol : undefined;
  const rows = Object.entries(value).map(([name, member]) => (
    <Member
      key={name}
      name={name}
      title={titles?.[name] ?? toLabel(name)}
      value={member}
      chainUid={chainUid ?? null}
      names={names}
      symbol={symbol}
    />
  ));
  return isBare ? rows : <dl class="facts evidence">{rows}</dl>;
}

type Shown = {
  value: unknown;
  chainUid: string | null;
  names: ReadonlyMap<string, string> | undefined;
  symbol?: string | undefined;
};

function Member({ name, title, ...shown }: Shown & { name: string; title: string }) {
  return (
    <>
      <dt class="foreign">{title}</dt>
      <dd>
        <Value
          {...shown}
          {...(/amount|balance|supply|threshold/i.test(name) && !/raw/i.test(name)
            ? {}
            : { symbol: undefined })}
        />
      </dd>
    </>
  );
}

const longList = 20;

function Value({ value, chainUid, names, symbol }: Shown) {
  if (value === null || value === undefined || value === '') return <span class="dim">none</span>;
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
  if (typeof value === 'number') return <Amount value={String(value)} {...(symbol ? { symbol } : {})} />;
  if (typeof value === 'string') {
    if (isAddress(value))
      return <Address value={value} chainUid={chainUid} name={names?.get(value.toLowerCase())} />;
    if (/^0x[0-9a-f]{64}$/i.test(value))
      return <Address value={value} chainUid={chainUid} kind="transaction" />;
    if (/^-?\d+(\.\d+)?$/.test(value)) return <Amount value={value} {...(symbol ? { symbol } : {})} />;
    return <LongText text={value} />;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="dim">none</span>;
    return (
      <ul class="stack tight">
        {value.slice(0, longList).map((item, index) => (
          <li key={index}>
            <Value value={item} chainUid={chainUid} names={names} />
          </li>
        ))}
        {value.length > longList && <li class="dim">and {value.length - longList} more</li>}
      </ul>
    );
  }
  return (
    <div class="nested">
      <Evidence value={value as Record<string, unknown>} chainUid={chainUid} {...(names ? { names } : {})} />
    </div>
  );
}

const longText = 1200;

function LongText({ text }: { text: string }) {
  if (text.length <= longText) return <span class="foreign keep-lines">{text}</span>;
  return (
    <details>
      <summary class="foreign">
        {text.slice(0, 200)} … ({text.length} characters)
      </summary>
      <pre class="foreign">{text}</pre>
    </details>
  );
}

export type MessageProps = {
  text: string;
  names?: ReadonlyMap<string, string>;
  /** Words to mark, in lower case. */
  marked?: readonly string[];
};

/** A text for people in which long addresses and hashes are short, or called by their name. */
export function Message({ text, names, marked = [] }: MessageProps) {
  const parts = text.slice(0, 20_000).split(/(\b0x[0-9a-fA-F]{40,64}\b)/);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 0 ? (
          <Marked key={index} text={part} words={marked} />
        ) : (
          <span key={index} class={marked.includes(part.toLowerCase()) ? 'mono marked' : 'mono'} title={part}>
            {nameBefore(names?.get(part.toLowerCase()), parts[index + 1]) ?? shorten(part)}
          </span>
        ),
      )}
    </>
  );
}

/** No name where the text says it in brackets by itself. */
function nameBefore(name: string | undefined, next = ''): string | undefined {
  return name !== undefined && next.startsWith(' (') && next.slice(0, 200).includes(name) ? undefined : name;
}

export function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text);
}

/** Every address inside of a value, once. */
export function addressesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string' && isAddress(value)) found.add(value.toLowerCase());
  else if (typeof value === 'object' && value !== null && found.size < 50)
    for (const member of Object.values(value)) addressesIn(member, found);
  return found;
}
