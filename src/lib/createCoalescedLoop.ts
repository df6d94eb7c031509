/** Runs the work when woken, one run at a time; any number of wake-ups during a run cause one more run. */
export function createCoalescedLoop(work: () => Promise<unknown>, onError: (error: unknown) => void) {
  let isDue = false;
  let isStopped = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (isDue) {
      isDue = false;
      await work().catch(onError);
    }
  }

  return {
    wake(): void {
      if (isStopped) return;
      isDue = true;
      running ??= run().finally(() => {
        running = undefined;
      });
    },
    /** Resolves when the current run has ended; no further run starts. */
    async stop(): Promise<void> {
      isStopped = true;
      isDue = false;
      await running;
    },
  };
}
