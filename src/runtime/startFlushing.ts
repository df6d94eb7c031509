import type { Stoppable } from '../lib/createLifecycle.ts';

type Options = {
  flush: () => Promise<void>;
  intervalMs: number;
  /** Called for the first failure in a row. */
  onError: (error: unknown) => void;
};

/** Writes what is buffered in memory at intervals, and once more when stopped. */
export function startFlushing({ flush, intervalMs, onError }: Options): Stoppable {
  let isFailing = false;
  async function tryFlush(): Promise<void> {
    try {
      await flush();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
  }
  const timer = setInterval(() => void tryFlush(), intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await tryFlush();
    },
  };
}
