import type { SharedEvent } from './createStreamMatching.ts';

/** A reader that is further behind is disconnected; it resumes with the id of the last event it saw. */
const waitingEvents = 10_000;
const waitingBytes = 4 * 1024 * 1024;
const heartbeatMs = 15_000;

/** The events that wait for one reader of the feed. */
export function createReaderQueue(isClosed: boolean, onOverflow: (() => void) | undefined) {
  const queue: SharedEvent[] = [];
  let bytes = 0;
  let hasEnded = isClosed;
  let wake: () => void = () => {};

  function end(isOverflow = false): void {
    if (isOverflow && !hasEnded) onOverflow?.();
    hasEnded = true;
    wake();
  }

  return {
    put(event: SharedEvent): void {
      // Nothing may follow an event that was dropped: a reader that resumes after it would never see that one.
      if (hasEnded) return;
      if (queue.length >= waitingEvents || (queue.length > 0 && bytes > waitingBytes)) {
        end(true);
        return;
      }
      queue.push(event);
      bytes += event.frame().length;
      wake();
    },
    end,
    /** The events as they come; `undefined` after a time without any. */
    async *events(): AsyncGenerator<SharedEvent | undefined> {
      for (;;) {
        for (let event = queue.shift(); event; event = queue.shift()) {
          bytes -= event.frame().length;
          yield event;
        }
        if (hasEnded) return;
        const isSilent = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(resolve, heartbeatMs, true);
          wake = () => {
            clearTimeout(timer);
            resolve(false);
          };
        });
        if (isSilent) yield undefined;
      }
    },
  };
}
