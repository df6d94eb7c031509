/** Small enough for a statement to end well before its time limit. */
const chunkSize = 5000;

/** Repeats `changeSome`, which changes at most `limit` rows and returns how many, until none remains. */
export async function inChunks(changeSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await changeSome(chunkSize)) > 0);
}
