import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
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

const overscan = 8;

/** A table of any length: only the rows in view are in the document. Arrow keys move, Enter opens, Space ticks. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, onOpen, openKey, selected, onSelect, total, onMore, fills } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [active, setActive] = useState(0);
  /** The row that gets the focus once it is in the document. */
  const focusAt = useRef<number>(undefined);
  const rowHeight = isNarrow.value ? 46 : 34;
  const shown = columns.filter(({ wideOnly }) => !(wideOnly && isNarrow.value));

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !fills) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [fills]);

  const first = fills ? Math.max(0, Math.floor(view.top / rowHeight) - overscan) : 0;
  const last = fills
    ? Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + overscan)
    : rows.length;
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
            return (
              <div
                class={`data-row${key === openKey ? ' open' : ''}`}
                role="row"
                key={key}
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={selected ? selected.has(key) : undefined}
                tabIndex={
                  index === Math.min(active, rows.length - 1) ||
                  (offset === 0 && (active < first || active >= last))
                    ? 0
                    : -1
                }
                style={{
                  gridTemplateColumns: template,
                  height: `${rowHeight}px`,
                  ...(fills ? { transform: `translateY(${index * rowHeight}px)` } : {}),
                }}
                onFocus={() => setActive(index)}
                onClick={(event) => {
                  if ((event.target as Element).closest('a, button, input, label')) return;
                  onOpen?.(row);
                }}
              >
                {onSelect && (
                  <span role="gridcell" tabIndex={-1}>
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label="Tick this row"
                      checked={selected?.has(key) ?? false}
                      onChange={() => toggle(key)}
                    />
                  </span>
                )}
                {shown.map(({ name, show, isNumber }) => (
                  <span role="gridcell" key={name} class={`cut${isNumber ? ' number' : ''}`} tabIndex={-1}>
                    {show(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
