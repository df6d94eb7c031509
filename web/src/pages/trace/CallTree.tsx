import { useMemo, useRef, useState } from 'preact/hooks';
import { Amount } from '../../parts/Amount.tsx';
import { shorten } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import type { Party, Trace } from './trace.ts';

type Frame = Trace['frames'][number];

/** Frames of which a page shows all from the start; of a larger tree only the first levels. */
const smallTree = 60;
const firstLevels = 2;
/** Deeper ones stand as far right as this, with their depth as a number. */
const maxIndent = 12;

/**
 * The calls as a tree. Arrow keys move through it as in any tree: up and down, right opens or goes in, left closes or goes
 * out; Home and End, and Enter opens and closes.
 */
export function CallTree({ trace, parties }: { trace: Trace; parties: ReadonlyMap<string, Party> }) {
  const { frames, chainUid } = trace;
  const parents = useMemo(() => new Set(frames.map(({ parent }) => parent)), [frames]);
  const [closed, setClosed] = useState<ReadonlySet<number>>(() => initiallyClosed(frames));
  const [current, setCurrent] = useState(frames[0]?.position ?? 0);
  const list = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => visible(frames, closed), [frames, closed]);
  const symbol = chainOf(chainUid)?.currency.symbol ?? '';

  const focus = (position: number | undefined) => {
    if (position === undefined) return;
    setCurrent(position);
    list.current?.querySelector<HTMLElement>(`[data-position="${position}"]`)?.focus();
  };
  const setOpen = (position: number, isOpen: boolean) =>
    setClosed((before) => {
      const next = new Set(before);
      if (isOpen) next.delete(position);
      else next.add(position);
      return next;
    });
  const onKeyDown = (event: KeyboardEvent) => {
    const place = shown.findIndex(({ position }) => position === current);
    const frame = shown[place];
    if (!frame || event.altKey || event.ctrlKey || event.metaKey) return;
    const isParent = parents.has(frame.position);
    const isOpen = isParent && !closed.has(frame.position);
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(shown[place + 1]?.position),
      ArrowUp: () => focus(shown[place - 1]?.position),
      Home: () => focus(shown[0]?.position),
      End: () => focus(shown.at(-1)?.position),
      ArrowRight: () => {
        if (isOpen) focus(shown[place + 1]?.position);
        else if (isParent) setOpen(frame.position, true);
      },
      ArrowLeft: () => {
        if (isOpen) setOpen(frame.position, false);
        else focus(shown.find(({ position }) => position === frame.parent)?.position);
      },
      Enter: () => isParent && setOpen(frame.position, !isOpen),
      ' ': () => isParent && setOpen(frame.position, !isOpen),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

  return (
    <>
      <p class="row unprinted">
        <button type="button" class="small" onClick={() => setClosed(new Set())}>
          Open all
        </button>
        <button
          type="button"
          class="small"
          onClick={() => {
            setClosed(
              new Set(frames.filter(({ position }) => parents.has(position)).map(({ position }) => position)),
            );
            setCurrent(frames[0]?.position ?? 0);
          }}
        >
          Close all
        </button>
      </p>
      <div class="call-tree" role="tree" aria-labelledby="calls" ref={list} onKeyDown={onKeyDown}>
        {shown.map((frame) => {
          const { position, depth, isReverted } = frame;
          const isParent = parents.has(position);
          return (
            <div
              key={position}
              role="treeitem"
              class={`call${isReverted ? ' reverted' : ''}`}
              data-position={position}
              aria-level={depth + 1}
              {...(isParent ? { 'aria-expanded': !closed.has(position) } : {})}
              tabIndex={position === current ? 0 : -1}
              style={{ '--indent': Math.min(depth, maxIndent) }}
              onClick={() => {
                setCurrent(position);
                if (isParent) setOpen(position, closed.has(position));
              }}
              onFocus={() => setCurrent(position)}
            >
              <span class="twist" aria-hidden="true">
                {isParent ? (closed.has(position) ? '▸' : '▾') : ''}
              </span>
              <Line frame={frame} parties={parties} symbol={symbol} />
            </div>
          );
        })}
      </div>
    </>
  );
}

function Line({
  frame,
  parties,
  symbol,
}: {
  frame: Frame;
  parties: ReadonlyMap<string, Party>;
  symbol: string;
}) {
  const {
    depth,
    type,
    to,
    value,
    amount,
    selector,
    arguments: values,
    isReverted,
    reason,
    inputBytes,
  } = frame;
  const name = frame.function?.split('(')[0];
  return (
    <span class="line">
      {depth > maxIndent && <span class="dim small">{depth} deep </span>}
      {type !== 'CALL' && <span class="call-type">{verbs[type]} </span>}
      <Named address={to} parties={parties} />
      {type === 'SELFDESTRUCT' || type.startsWith('CREATE') ? (
        type !== 'SELFDESTRUCT' && (
          <span class="dim small"> {inputBytes.toLocaleString('en')} bytes of code</span>
        )
      ) : (
        <span class="mono foreign">
          {name !== undefined || selector !== null ? `.${name ?? selector}` : ''}
          {name !== undefined && (
            <>
              (
              {values.map((argument, place) => (
                <span key={place}>
                  {place > 0 && ', '}
                  <span class="dim">{argument.name}: </span>
                  <Value value={argument.value} parties={parties} />
                </span>
              ))}
              )
            </>
          )}
        </span>
      )}
      {value !== '0' && (
        <strong class="coins">
          {' '}
          <Amount value={amount} symbol={symbol} />
        </strong>
      )}
      {isReverted && (
        <strong class="bad foreign">
          {' '}
          {reason === null ? 'reverted with its caller' : `reverted: ${reason}`}
        </strong>
      )}
    </span>
  );
}

const verbs: Record<Frame['type'], string> = {
  CALL: 'calls',
  STATICCALL: 'reads',
  DELEGATECALL: 'borrows the code of',
  CALLCODE: 'borrows the code of',
  CREATE: 'creates',
  CREATE2: 'creates',
  SELFDESTRUCT: 'destroys itself in favour of',
};

function Named({ address, parties }: { address: string | null; parties: ReadonlyMap<string, Party> }) {
  if (address === null) return <span class="dim">nothing</span>;
  const party = parties.get(address);
  return (
    <span class={`foreign${party ? ' known' : ' mono'}`} title={address}>
      {party ? party.name.slice(0, 80) : shorten(address, 6, 4)}
      {party?.tags.slice(0, 3).map((tag) => (
        <span key={tag} class="bad small">
          {' '}
          {tag}
        </span>
      ))}
    </span>
  );
}

/** Addresses by their names, and long values by their ends. */
function Value({ value, parties }: { value: string; parties: ReadonlyMap<string, Party> }) {
  if (/^0x[0-9a-f]{40}$/.test(value)) return <Named address={value} parties={parties} />;
  return (
    <span class="foreign" title={value}>
      {value.length > 60 ? `${value.slice(0, 40)}…` : value}
    </span>
  );
}

/** A long tree begins with its first levels. */
function initiallyClosed(frames: readonly Frame[]): ReadonlySet<number> {
  if (frames.length <= smallTree) return new Set();
  return new Set(frames.filter(({ depth }) => depth >= firstLevels).map(({ position }) => position));
}

/** Without what is inside closed frames. Frames whose parent is on an earlier page stand on their own. */
function visible(frames: readonly Frame[], closed: ReadonlySet<number>): Frame[] {
  const hidden = new Set<number>();
  return frames.filter(({ position, parent }) => {
    const isHidden = parent !== null && (closed.has(parent) || hidden.has(parent));
    if (isHidden) hidden.add(position);
    return !isHidden;
  });
}
