/** Works on many at a time, in order of the list; the first failure ends it. */
export async function forAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
