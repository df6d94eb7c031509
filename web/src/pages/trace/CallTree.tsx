import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { showCount } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import { search as addressSearch, setSearch } from '../../state/route.ts';
import {
  arrangeFrames,
  maxIndent,
  type ShownFrame,
  type TreeFilter,
  visibleFrames,
} from './arrangeFrames.ts';
import { FrameLine } from './FrameLine.tsx';
import type { Frame, Party, Trace } from './trace.ts';

/** Frames of which a page shows all from the start; of a larger tree only the first levels. */
const smallTree = 60;
const firstLevels = 2;
/** A longer list has rows of one height, of which only those in view are in the document. */
const longList = 80;
const rowHeight = 28;
const overscan = 12;
const searchAfterMs = 80;

type Props = {
  trace: Trace;
  frames: readonly Frame[];
  parties: ReadonlyMap<string, Party>;
};

/**
 * The calls as a tree. Arrow keys move through it as in any tree: up and down, right opens or goes in, left closes or goes
 * out; Home and End, and Enter opens and closes. The chosen frame is in the address.
 */
export function CallTree({ trace, frames, parties }: Props) {
  const linked = toPosition(addressSearch.value.get('frame'));
  const [filter, setFilter] = useState<TreeFilter>({
    hidesReads: false,
    foldsProxies: true,
    isOurs: false,
    search: '',
  });
  const [typed, setTyped] = useState('');
  // A large tree is searched behind the letter that was typed, not before it is on screen.
  useEffect(() => {
    const timer = setTimeout(
      () => setFilter((before) => (before.search === typed ? before : { ...before, search: typed })),
      searchAfterMs,
    );
    return () => clearTimeout(timer);
  }, [typed]);
  const { frames: arranged, found } = useMemo(
    () => arrangeFrames(frames, parties, filter),
    [frames, parties, filter],
  );
  const [opened, setOpened] = useState<{ mode: Mode; toggled: ReadonlyMap<number, boolean> }>({
    mode: 'start',
    toggled: new Map(),
  });
  const closed = useMemo(
    () => closedFrames(frames, { ...opened, total: trace.total, linked }),
    [frames, opened, trace.total, linked],
  );
  const [current, setCurrent] = useState(linked ?? frames[0]?.position ?? 0);
  const isSearching = filter.search.trim() !== '' || filter.isOurs;
  const shown = useMemo(
    () => visibleFrames(arranged, isSearching ? nothing : closed),
    [arranged, closed, isSearching],
  );
  const symbol = chainOf(trace.chainUid)?.currency.symbol ?? '';
  const chosen = arranged.find(({ frame }) => frame.position === current);

  const setOpen = (position: number, isOpen: boolean) =>
    setOpened(({ mode, toggled }) => ({ mode, toggled: new Map(toggled).set(position, isOpen) }));
  const choose = (position: number) => {
    setCurrent(position);
    setSearch({ frame: String(position) });
  };
  const change = (changes: Partial<TreeFilter>) => setFilter({ ...filter, ...changes });
  return (
    <>
      <div class="row tree-bar unprinted">
        <input
          type="search"
          aria-label="Find a call"
          placeholder="Find: function, name, address, value"
          maxLength={200}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Check label="Touches us" isOn={filter.isOurs} onChange={(isOurs) => change({ isOurs })} />
        <Check
          label="Hide reads"
          isOn={filter.hidesReads}
          onChange={(hidesReads) => change({ hidesReads })}
        />
        <Check
          label="Fold proxies"
          isOn={filter.foldsProxies}
          onChange={(foldsProxies) => change({ foldsProxies })}
        />
        <button type="button" class="small" onClick={() => setOpened({ mode: 'open', toggled: new Map() })}>
          Open all
        </button>
        <button
          type="button"
          class="small"
          onClick={() => {
            setOpened({ mode: 'closed', toggled: new Map() });
            setCurrent(frames[0]?.position ?? 0);
          }}
        >
          Close all
        </button>
        <span class="dim small" role="status">
          {isSearching
            ? `${showCount(found.size)} of ${showCount(trace.total)} calls`
            : `${showCount(shown.length)} of ${showCount(trace.total)} shown`}
        </span>
      </div>
      <Rows
        shown={shown}
        closed={isSearching ? nothing : closed}
        found={found}
        current={current}
        parties={parties}
        symbol={symbol}
        onCurrent={setCurrent}
        onChoose={choose}
        setOpen={setOpen}
      />
      {chosen && (
        <div class="chosen-frame unprinted" aria-label="The chosen call" role="region">
          <span class="dim small">
            Frame {showCount(chosen.frame.position)}{' '}
            <CopyButton text={linkTo(current)} label="Copy a link to this call" />
          </span>
          <FrameLine frame={chosen.frame} parties={parties} symbol={symbol} />
        </div>
      )}
    </>
  );
}

const nothing: ReadonlySet<number> = new Set();

function linkTo(position: number): string {
  const url = new URL(location.href);
  url.searchParams.set('frame', String(position));
  return url.href;
}

function Check({ label, isOn, onChange }: { label: string; isOn: boolean; onChange(isOn: boolean): void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

type RowsProps = {
  shown: readonly ShownFrame[];
  closed: ReadonlySet<number>;
  found: ReadonlySet<number>;
  current: number;
  parties: ReadonlyMap<string, Party>;
  symbol: string;
  onCurrent(position: number): void;
  onChoose(position: number): void;
  setOpen(position: number, isOpen: boolean): void;
};

function Rows({ shown, closed, found, current, parties, symbol, onCurrent, onChoose, setOpen }: RowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const isLong = shown.length > longList;
  const [view, setView] = useState({ first: 0, count: 40 });
  /** The row that gets the focus once it is in the document. */
  const focusAt = useRef<number>(undefined);
  const index = shown.findIndex(({ frame }) => frame.position === current);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element || !isLong) return;
    const update = () => {
      const first = Math.floor(element.scrollTop / rowHeight);
      const count = Math.ceil(element.clientHeight / rowHeight);
      setView((before) => (before.first === first && before.count === count ? before : { first, count }));
    };
    update();
    element.addEventListener('scroll', update, { passive: true });
    return () => element.removeEventListener('scroll', update);
  }, [isLong]);
  const scrollTo = (at: number) => {
    const element = list.current;
    if (!element) return;
    const top = at * rowHeight;
    if (!isLong)
      element
        .querySelector(`[data-position="${shown[at]?.frame.position}"]`)
        ?.scrollIntoView({ block: 'nearest' });
    else if (top < element.scrollTop || top + 2 * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = Math.max(0, top - element.clientHeight / 2);
  };
  // A link leads to its frame, once.
  const isLed = useRef(false);
  useEffect(() => {
    if (isLed.current || index < 1) return;
    isLed.current = true;
    scrollTo(index);
  }, [index]);
  useLayoutEffect(() => {
    if (focusAt.current === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-position="${focusAt.current}"]`);
    if (!row) return;
    row.focus({ preventScroll: true });
    focusAt.current = undefined;
  });
  const focus = (target: ShownFrame | undefined) => {
    if (!target) return;
    const { position } = target.frame;
    onCurrent(position);
    focusAt.current = position;
    scrollTo(shown.indexOf(target));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = shown[index];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const { isParent, frame } = row;
    const isOpen = isParent && !closed.has(frame.position);
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(shown[index + 1]),
      ArrowUp: () => focus(shown[index - 1]),
      PageDown: () => focus(shown[Math.min(shown.length - 1, index + 15)]),
      PageUp: () => focus(shown[Math.max(0, index - 15)]),
      Home: () => focus(shown[0]),
      End: () => focus(shown.at(-1)),
      ArrowRight: () => {
        if (isOpen) focus(shown[index + 1]);
        else if (isParent) setOpen(frame.position, true);
      },
      ArrowLeft: () => {
        if (isOpen) setOpen(frame.position, false);
        else focus(shown.find((other) => other.frame.position === row.parent));
      },
      Enter: () => isParent && setOpen(frame.position, !isOpen),
      ' ': () => isParent && setOpen(frame.position, !isOpen),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  const count = isLong ? Math.min(shown.length, view.count + 2 * overscan) : shown.length;
  const first = isLong ? Math.max(0, Math.min(view.first - overscan, shown.length - count)) : 0;
  const rows = shown.slice(first, first + count).map((row, nth) => ({ row, at: first + nth }));
  const isAway = index >= 0 && (index < first || index >= first + count);
  // The focus stays where the keyboard left it, however far the pointer scrolls.
  if (isAway) rows.splice(index < first ? 0 : rows.length, 0, { row: shown[index]!, at: index });
  return (
    <div
      class={`call-tree${isLong ? ' long' : ''}`}
      role="tree"
      aria-labelledby="calls"
      ref={list}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={isLong ? { height: `${shown.length * rowHeight}px` } : {}}>
        {rows.map(({ row, at }) => {
          const { frame, level, isParent } = row;
          const { position, isReverted } = frame;
          const isFound = found.has(position);
          return (
            <div
              key={position}
              role="treeitem"
              class={`call${isReverted ? ' reverted' : ''}${isFound ? ' found' : ''}`}
              data-position={position}
              aria-level={level + 1}
              {...(isParent ? { 'aria-expanded': !closed.has(position) } : {})}
              aria-selected={position === current}
              tabIndex={position === current || (index < 0 && at === 0) ? 0 : -1}
              style={{
                '--indent': Math.min(level, maxIndent),
                ...(isLong ? { top: `${at * rowHeight}px` } : {}),
              }}
              onClick={() => {
                onChoose(position);
                if (isParent) setOpen(position, closed.has(position));
              }}
              onFocus={() => onCurrent(position)}
            >
              <span class="twist" aria-hidden="true">
                {isParent ? (closed.has(position) ? '▸' : '▾') : ''}
              </span>
              <FrameLine frame={frame} parties={parties} symbol={symbol} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function toPosition(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

type Mode = 'start' | 'open' | 'closed';

/** A long tree begins with its first levels, and with the way to the frame of a link. */
function closedFrames(
  frames: readonly Frame[],
  {
    total,
    mode,
    toggled,
    linked,
  }: { total: number; mode: Mode; toggled: ReadonlyMap<number, boolean>; linked: number | undefined },
): ReadonlySet<number> {
  const byPosition = new Map(frames.map((frame) => [frame.position, frame]));
  const way = new Set<number>();
  for (let at = linked; at !== undefined; at = byPosition.get(at)?.parent ?? undefined) way.add(at);
  const isClosedAtFirst = ({ depth, position }: Frame) =>
    total > smallTree && depth >= firstLevels && !way.has(position);
  return new Set(
    frames
      .filter((frame) => {
        const isOpen = toggled.get(frame.position);
        if (isOpen !== undefined) return !isOpen;
        return mode === 'start' ? isClosedAtFirst(frame) : mode === 'closed';
      })
      .map(({ position }) => position),
  );
}
