/**
 * Calls back at intervals, until the returned function is called. The first one is shorter by chance: timers that started together
 * would otherwise need a connection each at the same moments.
 */
export function repeatEvery(everyMs: number, work: () => void): () => void {
  let timer: NodeJS.Timeout = setTimeout(
    () => {
      timer = setInterval(work, everyMs);
      work();
    },
    everyMs * (0.5 + Math.random() / 2),
  );
  return () => {
    clearTimeout(timer);
    clearInterval(timer);
  };
}
