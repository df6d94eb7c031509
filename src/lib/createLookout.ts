/** Looks whether there is something to do: one look at a time, and whatever is heard meanwhile brings one more. */
export function createLookout(work: () => Promise<unknown>, onError: (error: unknown) => void) {
  let isNews = false;
  let isStopped = false;
  let looking: Promise<void> | undefined;

  async function lookOn(): Promise<void> {
    while (isNews) {
      isNews = false;
      await work().catch(onError);
    }
  }

  return {
    look(): void {
      if (isStopped) return;
      isNews = true;
      looking ??= lookOn().finally(() => {
        looking = undefined;
      });
    },
    /** Looks no more; resolves when the look under way is over. */
    async stop(): Promise<void> {
      isStopped = true;
      isNews = false;
      await looking;
    },
  };
}
