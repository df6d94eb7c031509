/** Does the work `count` times, `atOnce` of them at any moment. */
export async function inTurns<T>(
  atOnce: number,
  count: number,
  work: (n: number) => Promise<T>,
): Promise<T[]> {
  const done: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) {
        const n = next++;
        done[n] = await work(n);
      }
    }),
  );
  return done;
}
