import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isNarrow } from '../state/theme.ts';
import { assignSlots, type Key } from './assignSlots.ts';
import './DataTable.css';

export type Column<Row> = {
  name: string;
  title: string;
  /** As in grid-template-columns. */
  width?: string;
  show(row: Row): ComponentChildren;
  /** Left out on a phone. */
  wideOnly?: boolean;
  isNumber?: boolean;
  /** What it shows is never wider than the column, so that nothing need be cut off. */
  fits?: boolean;
};

export type DataTableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): Key;
  onOpen?(row: Row): void;
  /** The row that is open at the moment. */
  openKey?: Key | undefined;
  /** Keys of the rows that are ticked; without it rows have no tick. */
  selected?: ReadonlySet<Key>;
  onSelect?(selected: ReadonlySet<Key>): void;
  /** How many rows there are in all, where more can be read. */
  total?: number;
  onMore?(): void;
  /** Fills the height of its parent and scrolls; otherwise it is as high as its rows. */
  fills?: boolean;
};

/** Rows above and below the view, for scrolls that the browser draws before it says so. */
const overscan = 3;

/**
 * A table of any length: only the rows in view, and the one with the focus, are in the document. Arrow keys move, Enter opens,
 * Space ticks.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, onOpen, openKey, selected, onSelect, total, onMore, fills } = props;
  const scroller = useRef<HTMLDivElement>(null);
  /** The first row in view, and how many are. */
  const [view, setView] = useState({ first: 0, count: 30 });
  const [active, setActive] = useState<{ index: number; key?: Key }>({ index: 0 });
  const hasFocus = useRef(false);
  /** The row that gets the focus once it is in the document. */
  const focusAt = useRef<number>(undefined);
  const rowHeight = heightOfRow();
  const shown = useMemo(
    () => columns.filter(({ wideOnly }) => !(wideOnly && isNarrow.value)),
    [columns, isNarrow.value],
  );

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !fills) return;
    let count = view.count;
    const update = () => {
      const first = Math.floor(element.scrollTop / rowHeight);
      // Smaller steps than a row draw nothing again.
      setView((before) => (before.first === first && before.count === count ? before : { first, count }));
    };
    const observer = new ResizeObserver(() => {
      count = Math.ceil(element.clientHeight / rowHeight) + 1;
      update();
    });
    observer.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [fills, rowHeight]);

  // As many rows at both ends as in between, so that a scroll neither makes nor removes elements.
  const count = fills ? Math.min(rows.length, view.count + 2 * overscan) : rows.length;
  const first = fills ? Math.max(0, Math.min(view.first - overscan, rows.length - count)) : 0;
  const last = first + count;
  const activeIndex = useMemo(() => indexOf(rows, rowKey, active), [rows, active]);
  const isActiveAway = activeIndex < first || activeIndex >= last;
  // The focus stays where the keyboard left it, however far the pointer scrolls.
  const indexes = Array.from({ length: count }, (_, offset) => first + offset);
  if (isActiveAway && hasFocus.current && rows[activeIndex])
    indexes.splice(activeIndex < first ? 0 : count, 0, activeIndex);
  const wantsMore = onMore !== undefined && rows.length < (total ?? 0) && last >= rows.length - 20;
  // Asks once for each length that has been reached.
  useEffect(() => {
    if (wantsMore) onMore?.();
  }, [wantsMore, rows.length]);

  const hadFocus = hasFocus.current;
  useLayoutEffect(() => {
    const body = scroller.current;
    // An element that changes its place in the document loses the focus.
    const isLost = hadFocus && !body?.contains(document.activeElement);
    const index = focusAt.current ?? (isLost ? activeIndex : undefined);
    if (index === undefined) return;
    const row = body?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    if (!row) return;
    row.focus({ preventScroll: true });
    focusAt.current = undefined;
  });

  const toggle = (key: Key) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    onSelect?.(next);
  };
  const move = (to: number) => {
    const index = Math.min(Math.max(to, 0), rows.length - 1);
    setActive({ index });
    const element = scroller.current;
    if (!element) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + 2 * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + 2 * rowHeight - element.clientHeight;
    const row = element.querySelector<HTMLElement>(`[data-index="${index}"]`);
    if (row) row.focus({ preventScroll: true });
    else focusAt.current = index;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (target.dataset.index === undefined) return;
    const index = Number(target.dataset.index);
    const row = rows[index];
    const steps: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + 15,
      PageUp: index - 15,
      Home: 0,
      End: rows.length - 1,
      j: index + 1,
      k: index - 1,
    };
    if (steps[event.key] !== undefined && !event.ctrlKey && !event.metaKey) move(steps[event.key]!);
    else if (event.key === 'Enter' && row) onOpen?.(row);
    else if (event.key === ' ' && row && onSelect) toggle(rowKey(row));
    else return;
    event.preventDefault();
  };

  const rowOf = ({ target }: Event) =>
    (target as Element).closest<HTMLElement>('[data-index]')?.dataset.index;
  const onFocusIn = (event: FocusEvent) => {
    const index = rowOf(event);
    hasFocus.current = index !== undefined;
    const row = rows[Number(index)];
    if (row) setActive({ index: Number(index), key: rowKey(row) });
  };
  const onClick = (event: MouseEvent) => {
    if ((event.target as Element).closest('a, button, input, label')) return;
    const row = rows[Number(rowOf(event))];
    if (row) onOpen?.(row);
  };

  const template = `${onSelect ? '34px ' : ''}${shown.map(({ width }) => width ?? 'minmax(0, 1fr)').join(' ')}`;
  const allTicked = useMemo(
    () => rows.length > 0 && rows.every((row) => selected?.has(rowKey(row))),
    [rows, selected],
  );
  // The same function in every drawing, so that rows which have not changed are not drawn again.
  const toggleNow = useRef(toggle);
  toggleNow.current = toggle;
  const onTick = useCallback((key: Key) => toggleNow.current(key), []);
  const keys = indexes.map((index) => rowKey(rows[index]!));
  const slots = useRef<ReadonlyMap<Key, number>>(new Map());
  if (fills) slots.current = assignSlots(slots.current, keys, hasFocus.current ? active.key : undefined);
  return (
    <div
      class={`data-table${fills ? ' fills' : ''}${onOpen ? ' opens' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={total ?? rows.length}
      tabIndex={-1}
      style={{ '--columns': template, '--row': `${rowHeight}px` }}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onFocusIn={onFocusIn}
      onFocusOut={() => {
        hasFocus.current = false;
      }}
    >
      <div class="data-head" role="rowgroup">
        <div class="data-row" role="row" tabIndex={-1}>
          {onSelect && (
            <span role="columnheader" tabIndex={-1}>
              <input
                type="checkbox"
                aria-label="Tick all rows"
                checked={allTicked}
                onChange={() => onSelect(new Set(allTicked ? [] : rows.map(rowKey)))}
              />
            </span>
          )}
          {shown.map(({ name, title, isNumber }) => (
            <span role="columnheader" key={name} class={`cut${isNumber ? ' number' : ''}`} tabIndex={-1}>
              {title}
            </span>
          ))}
        </div>
      </div>
      <div class="data-body" role="rowgroup" ref={scroller} tabIndex={-1}>
        <div
          class="data-space"
          role="presentation"
          style={fills ? { height: `${rows.length * rowHeight}px` } : {}}
        >
          {indexes.map((index, nth) => {
            const key = keys[nth]!;
            return (
              <DataRow
                key={slots.current.get(key) ?? key}
                id={key}
                row={rows[index]!}
                index={index}
                columns={shown}
                isOpen={key === openKey}
                isTicked={selected?.has(key)}
                isReachable={index === activeIndex || (isActiveAway && index === first && !hasFocus.current)}
                isPlaced={fills ?? false}
                onTick={onSelect && onTick}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Where the active row is now that others may have come before it. */
function indexOf<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => Key,
  { index, key }: { index: number; key?: Key },
): number {
  const here = rows[index];
  if (key === undefined || (here && rowKey(here) === key)) return Math.min(index, rows.length - 1);
  const found = rows.findIndex((row) => rowKey(row) === key);
  return found < 0 ? Math.min(index, rows.length - 1) : found;
}

type DataRowProps<Row> = {
  id: Key;
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  isOpen: boolean;
  isTicked: boolean | undefined;
  /** By the tab key. */
  isReachable: boolean;
  isPlaced: boolean;
  /** Without it rows have no tick. */
  onTick: ((key: Key) => void) | undefined;
};

/** As it reads a signal, it is drawn again only when a member of its own changes, and not with every scroll. */
function DataRow<Row>(props: DataRowProps<Row>) {
  const { id, row, index, columns, isOpen, isTicked, isReachable, isPlaced, onTick } = props;
  const height = heightOfRow();
  return (
    <div
      class={isOpen ? 'data-row open' : 'data-row'}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isTicked}
      tabIndex={isReachable ? 0 : -1}
      style={isPlaced ? { top: `${index * height}px` } : undefined}
    >
      {onTick && (
        <span {...cell}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Tick this row"
            checked={isTicked ?? false}
            onChange={() => onTick(id)}
          />
        </span>
      )}
      {columns.map(({ name, show, isNumber, fits }) => (
        <span {...cell} key={name} class={isNumber ? 'cut number' : fits ? undefined : 'cut'}>
          {show(row)}
        </span>
      ))}
    </div>
  );
}

/** A press on a cell gives the focus to its row, whose keys then work. */
const cell = { role: 'gridcell' } as const;

function heightOfRow(): number {
  return isNarrow.value ? 46 : 34;
}
