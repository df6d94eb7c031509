import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Alert } from '../../../../sdk/src/index.ts';
import { client } from '../../state/api.ts';
import { reconnections } from '../../state/connection.ts';
import type { Matched } from './matched.ts';

export type AlertSearch = { query: string; from: number; to: number };

/** More than a screen has; the first page is small, because someone waits for it. */
const firstPageSize = 60;
const pageSize = 200;
export const countedTo = 10_000;

/** The alerts of a search, read page by page as the table is scrolled. */
export function useAlertPages({ query, from, to }: AlertSearch) {
  const [state, setState] = useState<{
    rows: readonly Alert[];
    total: number;
    /** Why each was found, by uid. */
    matched: ReadonlyMap<string, Matched>;
    error?: unknown;
    isLoading: boolean;
  }>({
    rows: [],
    total: 0,
    matched: new Map(),
    isLoading: true,
  });
  const running = useRef<AbortController>(undefined);
  const isReadingMore = useRef(false);
  const returns = reconnections.value;

  /** The page after an alert: by its place it would move as others are raised. */
  const read = async (cursor: string | undefined, signal: AbortSignal) =>
    client.post('/alert/search', {
      body: {
        query,
        timeseries: [{ from, to }],
        ...(cursor === undefined
          ? { size: firstPageSize, trackTotalCount: countedTo }
          : { cursor, size: pageSize, trackTotalCount: 0 }),
        ...(/^(tenantId:\d+)?$/.test(query) ? {} : { matched: true }),
      },
      signal,
    });

  // Before the paint: the server works meanwhile.
  useLayoutEffect(() => {
    const controller = new AbortController();
    running.current = controller;
    isReadingMore.current = false;
    setState((before) => ({ ...before, isLoading: true }));
    read(undefined, controller.signal).then(
      (page) =>
        !controller.signal.aborted &&
        setState({ rows: page.data, total: page.total, matched: byUid(page), isLoading: false }),
      (error: unknown) =>
        !controller.signal.aborted && setState((before) => ({ ...before, error, isLoading: false })),
    );
    return () => controller.abort();
  }, [query, from, to, returns]);

  const more = async () => {
    const { signal } = running.current ?? {};
    if (!signal || isReadingMore.current) return;
    isReadingMore.current = true;
    try {
      const page = await read(state.rows.at(-1)?.uid, signal);
      if (signal.aborted) return;
      // An empty page ends the list, whatever the count said.
      setState((before) =>
        page.data.length === 0
          ? { ...before, total: before.rows.length }
          : {
              ...before,
              rows: [...before.rows, ...page.data],
              matched: new Map([...before.matched, ...byUid(page)]),
            },
      );
    } catch (error) {
      if (!signal.aborted) setState((before) => ({ ...before, error }));
    } finally {
      isReadingMore.current = false;
    }
  };

  /** Shows a changed alert in its place. */
  const replace = (changed: readonly Alert[]) => {
    const now = new Map(changed.map((alert) => [alert.uid, alert]));
    setState((before) => ({ ...before, rows: before.rows.map((row) => now.get(row.uid) ?? row) }));
  };

  return { ...state, more, replace };
}

function byUid({ data, matched = [] }: { data: readonly Alert[]; matched?: readonly Matched[] }) {
  return new Map(data.flatMap(({ uid }, index) => (matched[index] ? [[uid, matched[index]] as const] : [])));
}
