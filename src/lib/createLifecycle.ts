/** Something that runs until it is stopped. */
export type Stoppable = { stop(): Promise<void> };

/** Stops what was started, the newest first; what fails to stop does not keep the rest running. */
export function createLifecycle() {
  const stops: (() => unknown)[] = [];
  return {
    onStop(stop: () => unknown): void {
      stops.push(stop);
    },
    /** Throws the first failure once everything was stopped. */
    async stop(): Promise<void> {
      const errors: unknown[] = [];
      for (const stop of stops.splice(0).reverse()) {
        try {
          await stop();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
