import { createCoalescedLoop } from './createCoalescedLoop.ts';
import type { Stoppable } from './createLifecycle.ts';
import { repeatEvery } from './repeatEvery.ts';

type Options = {
  everyMs?: number;
  /** Calls back while there is work, until the returned function is called. */
  whenDue?: (wake: () => void) => () => void;
  /** Subscribes to notifications of new work. */
  listen?: (onNotify: () => void) => () => Promise<void>;
  onError: (error: unknown) => void;
};

/** Runs the work at intervals, while it is due and whenever it is woken, one run at a time, until it is stopped. */
export function startPoller(
  work: () => Promise<unknown>,
  { everyMs, whenDue, listen, onError }: Options,
): Stoppable & { wake(): void } {
  const { wake, stop } = createCoalescedLoop(work, onError);
  const unlisten = listen?.(wake);
  const stopTimer = everyMs === undefined ? undefined : repeatEvery(everyMs, wake);
  const stopAsking = whenDue?.(wake);
  return {
    wake,
    /** Waits for the current run. */
    async stop() {
      stopTimer?.();
      stopAsking?.();
      const ended = stop();
      await unlisten?.();
      await ended;
    },
  };
}
