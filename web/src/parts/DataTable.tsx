import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isNarrow } from '../state/theme.ts';
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
  rowKey(row: Row): string | number;
  onOpen?(row: Row): void;
  /** The row that is open at the moment. */
  openKey?: string | number | undefined;
  /** Keys of the rows that are ticked; without it rows have no tick. */
  selected?: ReadonlySet<string | number>;
  onSelect?(selected: ReadonlySet<string | number>): void;
  /** How many rows there are in all, where more can be read. */
  total?: number;
  onMore?(): void;
  /** Fills the height of its parent and scrolls; otherwise it is as high as its rows. */
  fills?: boolean;
};

/** Rows above and below the view, for scrolls that the browser draws before it says so. */
const overscan = 6;

/** A table of any length: only the rows in view are in the document. Arrow keys move, Enter opens, Space ticks. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, onOpen, openKey, selected, onSelect, total, onMore, fills } = props;
  const scroller = useRef<HTMLDivElement>(null);
  /** The first row in view, and how many are. */
  const [view, setView] = useState({ first: 0, count: 30 });
  const [active, setActive] = useState(0);
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

  const first = fills ? Math.max(0, view.first - overscan) : 0;
  const last = fills ? Math.min(rows.length, view.first + view.count + overscan) : rows.length;
  const wantsMore = onMore !== undefined && rows.length < (total ?? 0) && last >= rows.length - 20;
  // Asks once for each length that has been reached.
  useEffect(() => {
    if (wantsMore) onMore?.();
  }, [wantsMore, rows.length]);

  useLayoutEffect(() => {
    if (focusAt.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${focusAt.current}"]`);
    if (!row) return;
    row.focus({ preventScroll: true });
    focusAt.current = undefined;
  });

  const toggle = (key: string | number) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    onSelect?.(next);
  };
  const move = (to: number) => {
    const index = Math.min(Math.max(to, 0), rows.length - 1);
    setActive(index);
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

  const template = `${onSelect ? '34px ' : ''}${shown.map(({ width }) => width ?? 'minmax(0, 1fr)').join(' ')}`;
  const allTicked = rows.length > 0 && rows.every((row) => selected?.has(rowKey(row)));
  // The same object in every drawing, so that rows which have not changed are not drawn again.
  const uses = useRef({} as RowUses<Row>).current;
  Object.assign(uses, { open: onOpen, focus: setActive, toggle: onSelect && toggle });
  return (
    <div
      class={`data-table${fills ? ' fills' : ''}${onOpen ? ' opens' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={total ?? rows.length}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div class="data-head" role="rowgroup">
        <div class="data-row" role="row" style={{ gridTemplateColumns: template }} tabIndex={-1}>
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
          {rows.slice(first, last).map((row, offset) => {
            const index = first + offset;
            const key = rowKey(row);
            const isActive = index === Math.min(active, rows.length - 1);
            return (
              <DataRow
                key={key}
                id={key}
                row={row}
                index={index}
                columns={shown}
                template={template}
                isOpen={key === openKey}
                isTicked={selected?.has(key)}
                isReachable={isActive || (offset === 0 && (active < first || active >= last))}
                isPlaced={fills ?? false}
                uses={uses}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

type RowUses<Row> = {
  open: ((row: Row) => void) | undefined;
  focus(index: number): void;
  /** Without it rows have no tick. */
  toggle: ((key: string | number) => void) | undefined;
};

type DataRowProps<Row> = {
  id: string | number;
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  template: string;
  isOpen: boolean;
  isTicked: boolean | undefined;
  /** By the tab key. */
  isReachable: boolean;
  isPlaced: boolean;
  uses: RowUses<Row>;
};

/** As it reads a signal, it is drawn again only when a member of its own changes, and not with every scroll. */
function DataRow<Row>(props: DataRowProps<Row>) {
  const { id, row, index, columns, template, isOpen, isTicked, isReachable, isPlaced, uses } = props;
  const height = heightOfRow();
  return (
    <div
      class={isOpen ? 'data-row open' : 'data-row'}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isTicked}
      tabIndex={isReachable ? 0 : -1}
      style={`grid-template-columns:${template};height:${height}px${isPlaced ? `;top:${index * height}px` : ''}`}
      onFocus={() => uses.focus(index)}
      onClick={(event) => {
        if ((event.target as Element).closest('a, button, input, label')) return;
        uses.open?.(row);
      }}
    >
      {uses.toggle && (
        <span {...cell}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Tick this row"
            checked={isTicked ?? false}
            onChange={() => uses.toggle?.(id)}
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
