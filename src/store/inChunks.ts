/** Few enough for a statement that is over long before its time limit. */
const chunkSize = 5000;

/** Changes rows until none is left to change; `change` takes at most some of them and returns how many it took. */
export async function inChunks(changeSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await changeSome(chunkSize)) > 0);
}
