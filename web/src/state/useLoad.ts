import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf, whenQuiet } from './api.ts';
import { reconnections } from './connection.ts';

export type Loaded<T> = {
  /** What was read last; kept while it is read again. */
  data: T | undefined;
  error: unknown;
  isLoading: boolean;
  reload(): void;
};

/**
 * Reads something when `key` changes, when the connection returns and on `reload`. A null key reads nothing.
 * With `every`, reads again after so many milliseconds while the page is visible. With `later`, lets other requests go first.
 */
export function useLoad<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { every, later = false }: { every?: number; later?: boolean } = {},
): Loaded<T> {
  const [state, setState] = useState<{ key: string | null; data: T | undefined; error: unknown }>({
    key: null,
    data: undefined,
    error: undefined,
  });
  const [round, setRound] = useState(0);
  const loading = useRef(load);
  loading.current = load;
  const returns = reconnections.value;

  // `round` and `returns` ask for another reading. Before the paint: the server works meanwhile.
  useLayoutEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    const answer = later
      ? whenQuiet().then(async () =>
          signal.aborted ? Promise.reject(signal.reason) : loading.current(signal),
        )
      : loading.current(signal);
    answer.then(
      (data) => !controller.signal.aborted && setState({ key, data, error: undefined }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setState((before) => ({ key, data: before.data, error }));
        if (!(error instanceof Error)) console.error(messageOf(error));
      },
    );
    return () => controller.abort();
  }, [key, round, returns]);

  useEffect(() => {
    if (every === undefined || key === null) return;
    const timer = setInterval(() => document.hidden || setRound((n) => n + 1), every);
    return () => clearInterval(timer);
  }, [every, key]);

  return {
    data: state.data,
    error: state.error,
    isLoading: key !== null && state.key !== key,
    reload: () => setRound((n) => n + 1),
  };
}
