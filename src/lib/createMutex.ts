export type Mutex = Pick<ReturnType<typeof createMutex>, 'runExclusive'>;

/** Runs work one piece at a time, in the order of the calls; a failure concerns only its own caller. */
export function createMutex() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    runExclusive<T>(work: () => Promise<T>): Promise<T> {
      const run = last.then(work);
      last = run.catch(() => undefined);
      return run;
    },
    /** Resolves when everything queued so far has run. */
    async idle(): Promise<void> {
      await last;
    },
  };
}
