import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Alert } from '../../../../sdk/src/index.ts';
import { client } from '../../state/api.ts';
import { reconnections } from '../../state/connection.ts';

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
    error?: unknown;
    isLoading: boolean;
  }>({
    rows: [],
    total: 0,
    isLoading: true,
  });
  const running = useRef<AbortController>(undefined);
  const isReadingMore = useRef(false);
  const returns = reconnections.value;

  const read = async (offset: number, signal: AbortSignal) =>
    client.post('/alert/search', {
      body: {
        query,
        timeseries: [{ from, to }],
        from: offset,
        size: offset === 0 ? firstPageSize : pageSize,
        trackTotalCount: countedTo,
      },
      signal,
    });

  // Before the paint: the server works meanwhile.
  useLayoutEffect(() => {
    const controller = new AbortController();
    running.current = controller;
    isReadingMore.current = false;
    setState((before) => ({ ...before, isLoading: true }));
    read(0, controller.signal).then(
      ({ data, total }) => !controller.signal.aborted && setState({ rows: data, total, isLoading: false }),
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
      const { data } = await read(state.rows.length, signal);
      if (signal.aborted) return;
      setState((before) => {
        const known = new Set(before.rows.map(({ uid }) => uid));
        const added = data.filter(({ uid }) => !known.has(uid));
        // An empty page ends the list, whatever the count said.
        return added.length === 0
          ? { ...before, total: before.rows.length }
          : { ...before, rows: [...before.rows, ...added] };
      });
    } catch (error) {
      if (!signal.aborted) setState((before) => ({ ...before, error }));
    } finally {
      isReadingMore.current = false;
    }
  };

  /** Shows a changed alert in its place. */
  const replace = (changed: readonly Alert[]) => {
    const byUid = new Map(changed.map((alert) => [alert.uid, alert]));
    setState((before) => ({ ...before, rows: before.rows.map((row) => byUid.get(row.uid) ?? row) }));
  };

  return { ...state, more, replace };
}
